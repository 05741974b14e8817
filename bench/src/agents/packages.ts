import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The packages of the peers, and those of the external agents that Coppice starts itself. */
export const [peerPackages, agentPackages] = ['../../node_modules', '../../agents/node_modules'].map((path) =>
  join(import.meta.dirname, path),
) as [string, string]

/** A text of an installed package's description, by default its version; null if it is not installed. */
export function peerVersion(name: string, packages = peerPackages, field = 'version'): string | null {
  const file = join(packages, name, 'package.json')
  if (!existsSync(file)) return null
  return (JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, string>>)[field] ?? null
}

/** The path of a peer's program, from the folder of packages; null if it does not start on this system. */
export function peerBinary(path: string, packages = peerPackages): string | null {
  const binary = join(packages, path)
  return spawnSync(binary, ['--version'], { stdio: 'ignore', timeout: 60_000 }).status === 0 ? binary : null
}
