import { execFile } from 'node:child_process'
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import type { CheckedFile, PatchCheck } from '#core/ports/git-storage.ts'

const run = promisify(execFile)
const timeoutMs = 60_000
const configuration = ['-c', 'apply.whitespace=nowarn', '-c', 'core.autocrlf=false', '-c', 'core.fileMode=true']
/**
 * These take precedence over the project's own attributes, which could make git write other bytes than the patch says.
 */
const attributes = '* -text -eol -filter -ident -working-tree-encoding -whitespace\n'

type Answer = Awaited<ReturnType<PatchCheck['check']>>

/**
 * Applies the patch with the real git in a fresh repository and compares the result. Inside another repository `git
 * apply` ignores files outside it and exits with 0 for a wrong patch.
 *
 * The user's configuration and attributes cannot change the answer, and none of their hooks, filters or templates runs.
 */
export function createPatchCheck(temporaryFolder: string): PatchCheck {
  return {
    async check(patch, base, wanted, objectFormat = 'sha1') {
      await mkdir(temporaryFolder, { recursive: true, mode: 0o700 })
      const folder = await mkdtemp(join(temporaryFolder, 'patch-check-'))
      try {
        const work = join(folder, 'work')
        await mkdir(work)
        const made = await git(folder, work, [
          'init',
          '-q',
          '--template=',
          ...(objectFormat === 'sha1' ? [] : [`--object-format=${objectFormat}`]),
        ])
        if (!made.ok) return made.ran ? made : { ran: false, ok: false, message: 'git is not installed' }
        await mkdir(join(work, '.git/info'), { recursive: true })
        await writeFile(join(work, '.git/info/attributes'), attributes)
        for (const file of base) await place(work, file)
        const patchFile = join(folder, 'export.patch')
        await writeFile(patchFile, patch)
        const applied = await git(folder, work, [...configuration, 'apply', patchFile])
        const other = applied.ok ? await firstDifference(work, wanted) : undefined
        return other === undefined
          ? applied
          : { ran: true, ok: false, message: `git produces other content for ${other}` }
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}

/** The first path that is missing, unexpected or different. Undefined when all is as wanted. */
async function firstDifference(work: string, wanted: readonly CheckedFile[]): Promise<string | undefined> {
  const left = new Map(wanted.map((file) => [file.path, file]))
  for (const entry of await readdir(work, { recursive: true, withFileTypes: true })) {
    const path = relative(work, join(entry.parentPath, entry.name)).replaceAll(sep, '/')
    if (entry.isDirectory() || path === '.git' || path.startsWith('.git/')) continue
    const file = left.get(path)
    if (!file || !(await isAs(file, join(work, path)))) return path
    left.delete(path)
  }
  return [...left.keys()][0]
}

async function isAs({ mode, bytes }: CheckedFile, location: string): Promise<boolean> {
  const stats = await lstat(location)
  if (stats.isSymbolicLink()) return mode === '120000' && Buffer.from(await readlink(location)).equals(bytes)
  const executable = (stats.mode & 0o100) !== 0
  return mode === (executable ? '100755' : '100644') && (await readFile(location)).equals(bytes)
}

async function git(folder: string, work: string, args: readonly string[]): Promise<Answer> {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: join(folder, 'no-config'),
  }
  try {
    await run('git', [...args], { cwd: work, env, timeout: timeoutMs })
    return { ran: true, ok: true, message: '' }
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string }
    return { ran: code !== 'ENOENT', ok: false, message: stderr?.trim() || String(error) }
  }
}

async function place(work: string, file: CheckedFile): Promise<void> {
  if (file.path.split('/').includes('..')) throw new Error(`The path ${file.path} leaves the repository.`)
  const target = join(work, file.path)
  await mkdir(dirname(target), { recursive: true })
  if (file.mode === '120000') await symlink(new TextDecoder().decode(file.bytes), target)
  else await writeFile(target, file.bytes, { flag: 'wx', mode: file.mode === '100755' ? 0o755 : 0o644 })
}
