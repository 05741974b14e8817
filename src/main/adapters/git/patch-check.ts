import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { PatchCheck } from '#core/ports/patch-check.ts'

const run = promisify(execFile)
const timeoutMs = 60_000
const configuration = ['-c', 'apply.whitespace=nowarn', '-c', 'core.autocrlf=false', '-c', 'core.fileMode=true']

type BaseFile = Parameters<PatchCheck['check']>[1][number]
type Answer = Awaited<ReturnType<PatchCheck['check']>>

/**
 * Asks the real git in a fresh repository of its own: inside another repository `git apply` ignores what lies outside
 * it and answers 0 for a wrong patch. The patch is really applied there. The user's configuration cannot change the
 * answer, and no hook or template of theirs runs.
 */
export function createPatchCheck(temporaryFolder: string): PatchCheck {
  return {
    async check(patch, base) {
      await mkdir(temporaryFolder, { recursive: true, mode: 0o700 })
      const folder = await mkdtemp(join(temporaryFolder, 'patch-check-'))
      try {
        const work = join(folder, 'work')
        await mkdir(work)
        const made = await git(folder, work, ['init', '-q', '--template='])
        if (!made.ok) return made.ran ? made : { ran: false, ok: false, message: 'git is not installed' }
        for (const file of base) await place(work, file)
        const patchFile = join(folder, 'export.patch')
        await writeFile(patchFile, patch)
        return await git(folder, work, [...configuration, 'apply', patchFile])
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}

async function git(folder: string, work: string, args: readonly string[]): Promise<Answer> {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    LC_ALL: 'C',
    GIT_CEILING_DIRECTORIES: folder,
    GIT_CONFIG_NOSYSTEM: '1',
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

async function place(work: string, file: BaseFile): Promise<void> {
  if (file.path.split('/').includes('..')) throw new Error(`The path ${file.path} leaves the repository.`)
  const target = join(work, file.path)
  await mkdir(dirname(target), { recursive: true })
  if (file.mode === '120000') await symlink(new TextDecoder().decode(file.bytes), target)
  else await writeFile(target, file.bytes, { flag: 'wx', mode: file.mode === '100755' ? 0o755 : 0o644 })
}
