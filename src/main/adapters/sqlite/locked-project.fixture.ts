import { acquireProjectLock } from './project-lock.ts'

/** Holds the lock of its argument until it is killed. */
const [file = ''] = process.argv.slice(2)
const lock = acquireProjectLock({ file, project: 'demo', shell: 'web', now: Date.now })
process.stdout.write('held\n')
setInterval(() => lock, 1000)
