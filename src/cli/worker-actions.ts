// What can be asked of the worker by `c-mem worker`.

export const WORKER_ACTIONS = ["status", "start", "stop", "restart", "logs", "run", "retry"] as const;
export type WorkerAction = (typeof WORKER_ACTIONS)[number];
