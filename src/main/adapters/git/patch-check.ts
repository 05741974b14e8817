import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { PatchCheck } from '#core/ports/patch-check.ts'

const run = promisify(execFile)
const timeoutMs = 60_000

/**
 * Asks the real git in a fresh repository of its own: inside another repository `git apply` ignores what lies outside
 * it and answers 0 for a wrong patch. The user's configuration cannot change the answer.
 */
export function createPatchCheck(temporaryFolder: string): PatchCheck {
  return {
    async check(patch, base) {
      const folder = await mkdtemp(join(temporaryFolder, 'patch-check-'))
      try {
        const work = join(folder, 'work')
        await mkdir(work)
        if (!(await git(folder, work, ['init', '-q'])).ran)
          return { ran: false, ok: false, message: 'git is not installed' }
        for (const file of base) await place(work, file)
        const patchFile = join(folder, 'export.patch')
        await writeFile(patchFile, patch)
        return await git(folder, work, [
          '-c',
          'apply.whitespace=nowarn',
          '-c',
          'core.autocrlf=false',
          'apply',
          '--check',
          patchFile,
        ])
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}

async function git(folder: string, work: string, args: readonly string[]) {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
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

async function place(work: string, file: { path: string; bytes: Uint8Array; mode: string }): Promise<void> {
  const target = join(work, file.path)
  await mkdir(dirname(target), { recursive: true })
  if (file.mode === '120000') return symlink(new TextDecoder().decode(file.bytes), target)
  await writeFile(target, file.bytes)
  if (file.mode === '100755') await chmod(target, 0o755)
}
