import { namedHosts } from '#shared/model/calls/interrupt.ts'
import { type CommandApproval, commandApprovals } from '#shared/model/settings.ts'
import type { ApprovalMode } from '#shared/model/thread.ts'
import { effectOutside } from './risk.ts'

/** What the settings say about commands that a sandbox confines. */
export interface CommandSettings {
  /** The person's choice for the project. Absent for as the mode says. */
  readonly commands?: CommandApproval | undefined
  /** The loosest that the project's own settings allow. Absent when they say nothing. */
  readonly loosestCommands?: CommandApproval | undefined
  /**
   * What all commands of the project may reach: hosts as `example.com`, `*.example.com` or `example.com:443`, ports of this
   * machine as `localhost:5432`, and paths of its sockets.
   */
  readonly hosts?: readonly string[] | undefined
}

/** `drop`: it runs, and nothing that it changed is kept. */
export type CommandTreatment = CommandApproval | 'drop'

const byMode: Readonly<Record<ApprovalMode, CommandTreatment>> = {
  plan: 'drop',
  ask: 'before',
  'auto-edit': 'after',
  auto: 'adopt',
}

/** When a command that a sandbox confines is approved. A mode that is stricter than the settings stays so. */
export function treatmentOf(mode: ApprovalMode, settings: CommandSettings): CommandTreatment {
  const own = mode === 'auto-edit' || mode === 'auto' ? (settings.commands ?? byMode[mode]) : byMode[mode]
  return own === 'drop' ? own : stricterApproval(own, settings.loosestCommands)
}

/** The stricter of two; `approval` when there is no limit. */
function stricterApproval(approval: CommandApproval, limit: CommandApproval | undefined): CommandApproval {
  return limit && commandApprovals.indexOf(limit) < commandApprovals.indexOf(approval) ? limit : approval
}

/**
 * Why a command does little without a person's grant: it names a host that nobody granted, or its purpose is a change
 * somewhere else. Undefined when it seems to need no host.
 */
export function needOf(command: string, { hosts = [] }: CommandSettings): string | undefined {
  const outside = effectOutside(command)
  if (outside !== undefined) return `it changes something outside: ${outside}`
  const host = namedHosts(command).find((named) => !hosts.some((grant) => grantCovers(grant, named)))
  return host === undefined ? undefined : `it names ${host}`
}

/** True when a grant lets commands reach the host. Both are names with or without a port. */
function grantCovers(grant: string, host: string): boolean {
  const [granted = '', port] = grant.toLowerCase().split(':')
  const [name = '', wanted] = host.toLowerCase().split(':')
  if (port !== undefined && port !== (wanted ?? '443')) return false
  return granted.startsWith('*.') ? name.endsWith(granted.slice(1)) : name === granted
}
