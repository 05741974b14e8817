import { readFileSync } from 'node:fs'
import type { SandboxState } from '#core/ports/shell.ts'
import type { SandboxInfo } from '#shared/contract/views/app.ts'

/** What tells one system from another. */
interface System {
  readonly platform: NodeJS.Platform
  /** The ids of the distribution, such as `ubuntu debian`; empty elsewhere. */
  readonly family: string
}

/** The state of the sandbox, with the one command that turns it on. */
export function describeSandbox(state: SandboxState, system: System = thisSystem()): SandboxInfo {
  return { ...state, command: commandFor(state, system) }
}

/** Null when the sandbox is on, and where nothing is known that would help. */
function commandFor({ state, reason }: SandboxState, { platform, family }: System): string | null {
  if (platform === 'win32') return state === 'off' ? 'wsl --install' : null
  if (platform !== 'linux') return null
  if (/not installed/.test(reason)) return installLine(family)
  const isKept = /cannot make namespaces/.test(reason) && /\bubuntu\b/.test(family)
  return isKept ? 'sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0' : null
}

const installers: readonly (readonly [RegExp, string])[] = [
  [/\b(debian|ubuntu)\b/, 'apt install'],
  [/\b(fedora|rhel|centos)\b/, 'dnf install'],
  [/\barch\b/, 'pacman -S'],
  [/\bsuse\b/, 'zypper install'],
  [/\balpine\b/, 'apk add'],
]

function installLine(family: string): string | null {
  const known = installers.find(([pattern]) => pattern.test(family))
  return known ? `sudo ${known[1]} bubblewrap socat` : null
}

function thisSystem(): System {
  return { platform: process.platform, family: process.platform === 'linux' ? readFamily('/etc/os-release') : '' }
}

function readFamily(file: string): string {
  try {
    const lines = readFileSync(file, 'utf8').matchAll(/^ID(?:_LIKE)?=(.*)$/gm)
    return [...lines].map(([, value = '']) => value.replaceAll('"', '')).join(' ')
  } catch {
    // Some systems have no such file. Then no command is named.
    return ''
  }
}
