import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'

/** Makes two commits on the branch `to`, and kills itself at its nth start of git. Exits with 0 when there are fewer. */
export interface KilledDelivery {
  readonly rootFolder: string
  readonly temporaryFolder: string
  readonly sign: boolean
  readonly killAt: number
  /** `started`: right after git started, which then meets the end of the app. */
  readonly when: 'before' | 'started'
}

const task = JSON.parse(process.argv[2] ?? '') as KilledDelivery
const { spawn } = childProcess
let starts = 0

childProcess.spawn = ((...words: Parameters<typeof spawn>) => {
  starts += 1
  const kill = () => starts === task.killAt && process.kill(process.pid, 'SIGKILL')
  if (task.when === 'before') kill()
  const child = spawn(...words)
  // What the app writes at once has reached git.
  if (task.when === 'started') setImmediate(kill)
  return child
}) as typeof spawn
syncBuiltinESMExports()

const { createGitDelivery } = await import('#adapters/git/git-delivery.ts')

async function deliver(): Promise<void> {
  const delivery = createGitDelivery({ ...task, trusts: () => true })
  using opened = await delivery.open({ repository: '', branch: 'to', base: null, began: null })
  const file = (text: string) => ({ mode: '100644', id: '', bytes: Buffer.from(text) })
  const commits = ['one', 'two'].map((text) => ({ message: `${text}\n`, files: new Map([[text, file(text)]]) }))
  await opened.deliver(commits, { sign: task.sign })
}

await deliver()
