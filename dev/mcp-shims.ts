// Replaces the modules that the MCP library chooses by runtime. Its validator (ajv, a quarter of the bundle) checks only the
// values of forms, and ours have no fields.
export { default as process } from "node:process";

export class DefaultJsonSchemaValidator {
  getValidator() {
    return (data: unknown) => ({ valid: true, data, errorMessage: undefined });
  }
}
