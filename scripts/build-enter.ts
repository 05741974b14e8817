// `npm run build:enter`: builds `coppice-enter`, the program that makes views and sandboxes on Linux, for every
// architecture that the app runs on. The files are part of the repository, because few machines that install Coppice
// have a compiler. On Debian: apt install gcc gcc-aarch64-linux-gnu.
// With `--check` it builds them beside and says whether they are the same.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { enterFile, hashOfSource, targets } from './enter-files.ts'

const root = join(import.meta.dirname, '..')
const checks = process.argv.includes('--check')
const scratch = mkdtempSync(join(tmpdir(), 'coppice-enter-'))
const flags = [
  ...['-Os', '-std=c11', '-Wall', '-Wextra', '-Werror', '-ffreestanding', '-nostdlib', '-static', '-s'],
  ...['-fno-stack-protector', '-fno-asynchronous-unwind-tables', '-fno-ident', '-no-pie'],
  '-Wl,--build-id=none,-z,noexecstack,-z,noseparate-code,-z,max-page-size=4096',
  `-DSOURCE_HASH="${hashOfSource(root)}"`,
]
try {
  for (const [arch, compiler] of Object.entries(targets)) {
    const committed = enterFile(root, arch)
    const built = checks ? join(scratch, arch) : committed
    const { error, status } = spawnSync(compiler, [...flags, '-o', built, join(root, 'src/native/enter.c')], {
      stdio: 'inherit',
    })
    if (error) throw new Error(`${compiler} could not be started. On Debian: apt install gcc gcc-aarch64-linux-gnu`)
    if (status !== 0) throw new Error(`${compiler} ended with ${status}`)
    const bytes = readFileSync(built)
    if (checks && !bytes.equals(readFileSync(committed)))
      throw new Error(`${committed} is not what ${compiler} builds here. Another compiler may build other bytes.`)
    console.log(`${checks ? 'the same' : 'built'}: ${committed} (${bytes.length} bytes)`)
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(scratch, { recursive: true })
}
