import type { Project } from '#host/project/project.ts'
import { projectSettings } from '#host/setup/open-setup.ts'
import { shownName } from '#shared/text/control-characters.ts'
import { type CommandLine, UsageError } from './arguments.ts'
import { printStatus } from './print-status.ts'

/**
 * Says which setup the run has and why one has none. Throws `UsageError` when `--setup auto` would run a command of the
 * folder without the whole sandbox around it.
 */
export async function announceSetup(line: CommandLine, { setup, services }: Project): Promise<void> {
  const { definition, proposedHosts, never } = setup.choice()
  const isAuto = line.text('setup') === 'auto'
  const sandbox = services.shell.sandbox()
  const isConfined = sandbox.state === 'on'
  if (definition === null) {
    if (isConfined && isAuto) printStatus(nothingText)
    if (!isConfined && (isAuto || (line.text('setup') === undefined && !never)))
      announceProposal(isAuto, await setup.proposals(), sandbox.reason)
    return
  }
  printStatus(
    `Setup before the first command: ${shownName(definition.command)} (${reachText(sandbox.state, definition.hosts)})`,
  )
  if (proposedHosts.length > 0)
    printStatus(`  the project proposes hosts for it, which you have not allowed: ${proposedHosts.join(', ')}`)
}

const nothingText = 'Setup: nothing in this folder calls for one.'

type Proposals = Awaited<ReturnType<Project['setup']['proposals']>>

/** About a setup of the folder that waits for the person, because the sandbox is not on. */
function announceProposal(isAuto: boolean, [first]: Proposals, reason: string): void {
  if (first === undefined) {
    if (isAuto) printStatus(nothingText)
    return
  }
  const { command, source } = first
  const named = `--setup ${shownName(`'${command.replaceAll("'", "'\\''")}'`)}`
  if (isAuto)
    throw new UsageError(
      `--setup auto runs a command that the folder calls for, so it needs the sandbox. ${reason} Name the command to run it without: ${named}.`,
    )
  if (source !== projectSettings) return
  printStatus(
    `Setup: the project has one of its own, which does not run by itself because the sandbox is not on. Name it to run it without: ${named}`,
  )
}

function reachText(sandbox: 'on' | 'partial' | 'off', hosts: readonly string[]): string {
  switch (sandbox) {
    case 'on':
      return `may reach ${hosts.length === 0 ? 'no host' : hosts.join(', ')}`
    case 'partial':
      return 'the sandbox is only partial: it may reach the network'
    case 'off':
      return 'it runs unconfined on your machine as you: it can reach your files and the network'
  }
}
