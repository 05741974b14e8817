import type { Project } from '#host/composition/project.ts'
import { type CommandLine, UsageError } from './arguments.ts'
import { printStatus } from './print-status.ts'

/**
 * Says which setup the run has and why one has none. Throws `UsageError` when `--setup auto` would run a command of the
 * folder without a sandbox around it.
 */
export function announceSetup(line: CommandLine, { setup, services }: Project): void {
  const { definition, origin, proposedHosts } = setup.choice()
  const isAuto = line.text('setup') === 'auto'
  if (isAuto && definition === null) printStatus('Setup: nothing in this folder calls for one.')
  const sandbox = services.shell.sandbox()
  if (isAuto && origin === 'command_line' && sandbox.state !== 'on')
    throw new UsageError(
      `--setup auto runs a command that the folder calls for, so it needs the sandbox. ${sandbox.reason} Name the command: --setup ${JSON.stringify(definition?.command ?? '')}.`,
    )
  if (definition === null) return
  const hosts = definition.hosts.length === 0 ? 'no host' : definition.hosts.join(', ')
  printStatus(`Setup before the first command: ${definition.command} (may reach ${hosts})`)
  if (proposedHosts.length > 0)
    printStatus(`  the project proposes hosts for it, which you have not allowed: ${proposedHosts.join(', ')}`)
}
