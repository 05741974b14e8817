import type { CommandApproval } from '#shared/model/settings.ts'
import type { ApprovalMode } from '#shared/model/thread.ts'
import { useApp } from '../state/hooks/hooks.tsx'
import { strings } from '../strings/strings.ts'

const labels = strings.common.modeHint

/**
 * Says in one sentence what a mode does here and now.
 *
 * @param commands what the settings say of commands; null for as the mode says
 */
export function useModeHints(commands: CommandApproval | null): (mode: ApprovalMode) => string {
  const sandbox = useApp((state) => state.info?.sandbox.state)
  return (mode) => modeHint(mode, sandbox === undefined || sandbox === 'on', commands)
}

/** The setting about commands holds for the modes that run them before anybody is asked. */
export function modeHint(mode: ApprovalMode, sandboxed: boolean, commands: CommandApproval | null): string {
  if (!sandboxed) return labels.withoutSandbox[mode]
  if (mode === 'plan' || mode === 'ask') return labels[mode]
  return commands === null ? labels[mode] : labels.commands[commands]
}
