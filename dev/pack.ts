// Puts all chunks of a program into one file, because one file loads faster than twenty and has one bytecode cache.
// Each chunk becomes a function that runs at the first import of the chunk.

interface Chunk {
  type: string;
  code?: string;
}

export function pack(entry: string) {
  return {
    name: "pack",
    generateBundle(_options: unknown, bundle: Record<string, Chunk>): void {
      const modules = Object.entries(bundle).map(
        ([name, { code = "" }]) => `${JSON.stringify(`./${name}`)}(exports, require, module) {${code}\n}`,
      );
      for (const name of Object.keys(bundle)) if (name !== entry) delete bundle[name];
      const chunk = bundle[entry];
      if (chunk === undefined) throw new Error(`Cannot pack: no chunk ${entry}`);
      chunk.code = `const chunks = {${modules.join(",\n")}};\n${LOADER}\nload("./${entry}");\n`;
    },
  };
}

const LOADER = `const loaded = {};
function load(name) {
  if (!(name in chunks)) return require(name);
  if (name in loaded) return loaded[name].exports;
  const module = (loaded[name] = { exports: {} });
  chunks[name](module.exports, load, module);
  return module.exports;
}`;
