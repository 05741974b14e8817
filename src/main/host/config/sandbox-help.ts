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
  const lacksProgram = /(bubblewrap|socat|perl).* not installed|not found|cannot be started/i.test(reason)
  if (platform === 'win32') return state === 'off' ? 'wsl --install' : null
  if (platform !== 'linux' || (state === 'on' && !lacksProgram) || /settings|root/i.test(reason)) return null
  const programs = 'bubblewrap socat'
  if (/\b(debian|ubuntu)\b/.test(family)) return `sudo apt install ${programs}`
  if (/\b(fedora|rhel|centos)\b/.test(family)) return `sudo dnf install ${programs}`
  if (/\barch\b/.test(family)) return `sudo pacman -S ${programs}`
  if (/\bsuse\b/.test(family)) return `sudo zypper install ${programs}`
  return /\balpine\b/.test(family) ? `sudo apk add ${programs}` : null
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
