import { spawn } from 'node:child_process'
import { createBranchMounts } from './branch-mounts.ts'

// A process to be killed. It opens a mount, starts an endless program in it, and prints when that runs.
const [rootFolder = '', mountsFolder = ''] = process.argv.slice(2)
const mounts = createBranchMounts({ rootFolder, mountsFolder })
const mount = await mounts.open({ owner: 'branch', overlay: [] }, new AbortController().signal)
const stubborn = `trap '' TERM HUP; echo begun; setsid sleep 1000 & while :; do sleep 1000; done`
const [program = '', ...parameters] = mount.enter(['bash', '--norc', '-c', stubborn])
spawn(program, parameters, { stdio: ['ignore', 'inherit', 'ignore'], detached: true })
