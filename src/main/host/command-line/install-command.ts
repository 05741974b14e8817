import { execFile } from 'node:child_process'
import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import { mkdir, rename, symlink, unlink } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { InstalledCommand } from '#shared/contract/views/app.ts'

const run = promisify(execFile)

/** How `coppice` gets onto the PATH of a person. */
export type InstallPlan =
  | { readonly kind: 'link'; readonly link: string; readonly target: string; readonly onPath: boolean }
  | { readonly kind: 'user-path'; readonly folder: string }

export interface InstallRequest {
  readonly platform: NodeJS.Platform
  /** The folder `resources` of the packaged app, which has `bin/coppice`. */
  readonly resources: string
  readonly home?: string
  readonly path?: string
  /** Whether a folder may be written. */
  readonly mayWrite: (folder: string) => boolean
}

/** Decides where the command goes: a link in the first usual folder that may be written, or Windows' own user PATH. */
export function planInstall({
  platform,
  resources,
  home = homedir(),
  path = '',
  mayWrite,
}: InstallRequest): InstallPlan {
  if (platform === 'win32') return { kind: 'user-path', folder: join(resources, 'bin') }
  const own = join(home, '.local/bin')
  const folder = ['/usr/local/bin'].find(mayWrite) ?? own
  const onPath = path.split(delimiter).includes(folder)
  return { kind: 'link', link: join(folder, 'coppice'), target: join(resources, 'bin/coppice'), onPath }
}

/**
 * Puts the command of the packaged app on the PATH. Never replaces a `coppice` that something else installed. Throws an
 * error whose message a person can act on.
 */
export async function installCommand(request: InstallRequest): Promise<InstalledCommand> {
  const plan = planInstall(request)
  try {
    return plan.kind === 'link' ? await makeLink(plan) : await addToUserPath(plan.folder)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`The command could not be installed: ${why}`)
  }
}

async function makeLink({ link, target, onPath }: Extract<InstallPlan, { kind: 'link' }>): Promise<InstalledCommand> {
  if (!existsSync(target)) throw new Error(`this app has no ${target}. Install Coppice again.`)
  const found = lstatSync(link, { throwIfNoEntry: false })
  if (found && !(found.isSymbolicLink() && isOurs(readlinkSync(link))))
    throw new Error(`${link} belongs to another installation. Remove it first.`)
  await mkdir(dirname(link), { recursive: true })
  const fresh = `${link}.${process.pid}`
  await symlink(target, fresh)
  await rename(fresh, link).catch(async (error) => {
    await unlink(fresh)
    throw error
  })
  return { path: link, next: onPath ? null : `Add ${dirname(link)} to PATH to use it.` }
}

/** A link of any packaged Coppice, also of one that has moved away. */
function isOurs(target: string): boolean {
  return /[\\/](resources|Resources)[\\/]bin[\\/]coppice$/.test(target)
}

/** Adds a folder to the PATH of the user, by PowerShell, since `setx` cuts long values. */
async function addToUserPath(folder: string): Promise<InstalledCommand> {
  const script = `$old = [Environment]::GetEnvironmentVariable('Path', 'User'); if (($old -split ';') -notcontains $env:COMMAND_FOLDER) { [Environment]::SetEnvironmentVariable('Path', ($old.TrimEnd(';') + ';' + $env:COMMAND_FOLDER).TrimStart(';'), 'User') }`
  await run('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', script], {
    env: { ...process.env, COMMAND_FOLDER: folder },
  })
  return { path: join(folder, 'coppice.cmd'), next: 'Open a new terminal and type coppice.' }
}
