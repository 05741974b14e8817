import { acquireProjectLock } from './project-lock.ts'

/** Holds the lock of its argument until it is killed. */
const [file = ''] = process.argv.slice(2)
const lock = acquireProjectLock(file, 'the web shell')
process.stdout.write('held\n')
setInterval(() => lock, 1000)
