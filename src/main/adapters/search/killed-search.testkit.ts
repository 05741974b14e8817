import { runRipgrep } from './ripgrep-process.ts'

// A process that searches a pipe that nobody writes to, until it is killed.
const [pipe = '', cwd = ''] = process.argv.slice(2)
process.stdout.write('searching\n')
await runRipgrep(['anything', pipe], cwd, 0x0a, () => undefined, new AbortController().signal)
