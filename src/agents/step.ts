// A change to the machine that can be shown before it is made.

export interface Step {
  /** What will change, as a person would say it. */
  about: string;
  /** Said while it runs, for a step that takes more than a moment. */
  progress?: string;
  run(): void | Promise<void>;
}
