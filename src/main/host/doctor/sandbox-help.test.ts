import { expect, it } from 'vitest'
import { describeSandbox } from './sandbox-help.ts'

const missing = {
  state: 'off',
  reason: 'bubblewrap is not installed (on Debian: apt install bubblewrap socat).',
} as const
const on = (platform: NodeJS.Platform, family = '') => ({ platform, family })

it('names the one command of the distribution that turns the sandbox on', () => {
  const commandOn = (family: string) => describeSandbox(missing, on('linux', family)).command
  expect(
    ['ubuntu debian', 'fedora', 'rhel centos fedora', 'arch', 'opensuse suse', 'alpine', 'other'].map(commandOn),
  ).toEqual([
    'sudo apt install bubblewrap socat',
    'sudo dnf install bubblewrap socat',
    'sudo dnf install bubblewrap socat',
    'sudo pacman -S bubblewrap socat',
    'sudo zypper install bubblewrap socat',
    'sudo apk add bubblewrap socat',
    null,
  ])
})

it('names the switch of Ubuntu when it keeps bubblewrap from making namespaces', () => {
  const kept = {
    state: 'off',
    reason: 'bubblewrap cannot make namespaces here (user namespaces are switched off).',
  } as const
  expect(describeSandbox(kept, on('linux', 'ubuntu')).command).toBe(
    'sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0',
  )
  expect(describeSandbox(kept, on('linux', 'arch')).command).toBeNull()
})

it('names nothing where nothing helps: a sandbox that is on, or switched off by the person', () => {
  expect(describeSandbox({ state: 'on', reason: 'All is well.' }, on('linux', 'debian')).command).toBeNull()
  const chosen = { state: 'off', reason: 'Switched off in the settings: every command asks.' } as const
  expect(describeSandbox(chosen, on('linux', 'debian')).command).toBeNull()
  expect(describeSandbox(missing, on('darwin')).command).toBeNull()
})

it('keeps state and reason', () => {
  expect(describeSandbox(missing, on('win32'))).toEqual({ ...missing, command: 'wsl --install' })
})
