import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { makeTemporary, removeMade } from './made-folders.ts'
import { endsNamespaces, inNamespacesOf, shownUser, systemScript } from './namespaces.ts'

/**
 * Whom the system takes a sandboxed command for. The user alone decides about many places of the machine, such as
 * `/proc/sys`, so this must not be root.
 */
export type CommandUser =
  /** The person, who is not root. */
  | { readonly kind: 'own'; readonly user: number; readonly group: number }
  /** The app runs as root, and its commands as somebody who owns nothing on the machine. */
  | { readonly kind: 'other' }
  /** The app runs as root, and so do its commands, although they see another number. */
  | { readonly kind: 'root'; readonly why: string }
  /** A system that does not have what this needs. */
  | { readonly kind: 'unknown' }

const run = promisify(execFile)
let found: Promise<CommandUser> | undefined

/** Tries once per process which user commands can have. */
export function findCommandUser(): Promise<CommandUser> {
  found ??= tryUsers()
  return found
}

async function tryUsers(): Promise<CommandUser> {
  const { getuid, getgid } = process
  if (process.platform !== 'linux' || !getuid || !getgid) return { kind: 'unknown' }
  const user = getuid()
  if (user !== 0) return { kind: 'own', user, group: getgid() }
  const folder = makeTemporary('user')
  try {
    const script = `[ "$(stat -c %u -- "$1")" = ${shownUser} ]`
    const given = [{ from: folder, to: folder, writable: true }]
    const [file = '', ...parameters] = inNamespacesOf({ kind: 'other' }, systemScript(script, [folder]), { given })
    await run(file, parameters, { timeout: 20_000, killSignal: endsNamespaces })
    return { kind: 'other' }
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    return { kind: 'root', why: said.split('\n')[0]?.slice(0, 200) || 'it has no other user' }
  } finally {
    await removeMade(folder)
  }
}
