import { acquireProjectLock } from './file/project-lock.ts'

/** Holds the lock on the given file until it is killed. */
const [file = ''] = process.argv.slice(2)
const lock = acquireProjectLock(file, 'the web shell')
process.stdout.write('held\n')
setInterval(() => lock, 1000)
