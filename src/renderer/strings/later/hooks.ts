import type { HookView } from '#shared/contract/views/hooks.ts'
import type { HookSource } from '#shared/model/calls/hooks.ts'

/** Words about hooks: their list in the settings, their lines in a chat and on a card. */
export const hookStrings = {
  about:
    'Hooks are commands that are asked before and after calls of agents, and around their work. Yours run on this machine as you. Those of a trusted project run in the sandbox, once you approved each of them, and can only make things stricter.',
  none: 'No hooks are defined',
  noneDetail: 'Write them as hooks in your settings.json, in the form that Claude Code has.',
  noProject: 'No project is open',
  noProjectDetail: 'Open a folder to see the hooks that it and your settings define.',
  problems: 'Some hooks are not used',
  list: 'Hooks',
  source: {
    settings: 'your settings',
    home: 'your settings of Claude Code',
    project: 'the project',
    project_local: 'the project, not shared',
  } as const satisfies Record<HookSource, string>,
  where: { machine: 'Runs on this machine', sandbox: 'Runs in the sandbox' } as const,
  state: { on: 'On', off: 'Off', waits: 'Waits for you' } as const,
  matcher: ({ matcher, condition }: HookView) =>
    [matcher === null ? 'every one' : matcher, condition === null ? '' : `if ${condition}`].filter(Boolean).join(', '),
  named: ({ event, command }: HookView) => `${event}: ${command}`,
  from: ({ file }: HookView) => `in ${file}`,
  limits: ({ timeoutMs, inBackground, once }: HookView) =>
    [`at most ${timeoutMs / 1000} s`, inBackground && 'nobody waits for it', once && 'once in a run']
      .filter(Boolean)
      .join(', '),
  approve: 'Approve',
  revoke: 'Approve no longer',
  switchOff: 'Switch off',
  switchOn: 'Switch on',
  problem: (text: string) => `Last time: ${text}`,
  said: 'A hook or stage said',
} as const
