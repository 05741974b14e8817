import type { Project } from './project.ts'
import { summarizeProject } from './project-summary.ts'

/** Runs work that needs projects. Calls `letGo` when the last of several has ended. */
export function createUse(letGo: () => Promise<void>): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let users = 0
  return async (work) => {
    users += 1
    try {
      return await work()
    } finally {
      users -= 1
      if (users === 0) await letGo()
    }
  }
}

/** Whether nothing of a project goes on: no agent works, and no command stays. */
export function isIdle({ services: { log, clock } }: Project): boolean {
  const processes = [...log.state.processes.values()].flat()
  return summarizeProject(log, clock.now()).working === 0 && processes.every(({ end }) => end !== null)
}
