import { writeSync } from 'node:fs'
import { findCommandUser } from '../../system/command-user.ts'
import { appMark } from '../../system/ends-with-app.ts'
import { thisMaker } from '../../system/maker.ts'
import { holdNetwork } from './branch-network.ts'

// A process that starts many holders of networks and is killed at once, so that each of them is at another point of its
// start. It prints the run that they carry.
const [, holders = ''] = process.argv.slice(2)
const user = await findCommandUser()
appMark()
writeSync(1, thisMaker().run)
for (let holder = 0; holder < Number(holders); holder += 1) void holdNetwork(user)
process.kill(process.pid, 'SIGKILL')
