import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const packages = join(import.meta.dirname, '../../node_modules')

/** The version of an installed peer; null if it is not installed. */
export function peerVersion(name: string): string | null {
  const file = join(packages, name, 'package.json')
  if (!existsSync(file)) return null
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version
}

/** The path of a peer's program, from the folder of packages; null if it does not start on this system. */
export function peerBinary(path: string): string | null {
  const binary = join(packages, path)
  return spawnSync(binary, ['--version'], { stdio: 'ignore', timeout: 60_000 }).status === 0 ? binary : null
}
