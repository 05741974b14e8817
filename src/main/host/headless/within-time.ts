import { createContext, Script } from 'node:vm'

const script = new Script('run()')

/**
 * Runs synchronous work and ends it after some milliseconds, even inside a regular expression. Undefined when it was
 * ended. Throws what the work throws.
 */
export function withinTime<Value>(milliseconds: number, work: () => Value): { readonly value: Value } | undefined {
  let done: { readonly value: Value } | undefined
  const context = createContext({
    run: () => {
      done = { value: work() }
    },
  })
  try {
    script.runInContext(context, { timeout: milliseconds })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
  }
  return done
}
