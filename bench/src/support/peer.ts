import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** A library in a process of its own. */
export interface Peer extends Disposable {
  run(task: Readonly<Record<string, unknown>>): Promise<PeerAnswer>
}

export interface PeerAnswer {
  readonly ms: number
  /** Megabytes that the process holds after the task. */
  readonly mb: number
  /** The number of results. */
  readonly result: number
}

/**
 * Starts a peer. `environment` replaces the whole environment: without a PATH, a library finds no programs to start.
 */
export function openPeer(name: string, environment?: NodeJS.ProcessEnv): Peer {
  const child = fork(join(import.meta.dirname, `../peers/${name}.mjs`), { ...(environment && { env: environment }) })
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The peer ${name} ended with ${code}`)
  })
  ended.catch(() => undefined)
  return {
    async run(task) {
      child.send(task)
      const [answer] = await Promise.race([once(child, 'message'), ended])
      return answer
    },
    [Symbol.dispose]: () => void child.kill(),
  }
}
