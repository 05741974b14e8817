import type { SlashView } from '#shared/contract/views/extensions.ts'

export const slashStrings = {
  preview: 'Preview',
  previewOf: (word: string) => `What /${word} tells the agent`,
  readsText: 'The agent reads this after your words. Nothing has been sent yet.',
  readsSkill: 'The agent reads this file and follows it. Nothing has been sent yet.',
  /** Where a command comes from, and what it says about its run. */
  aboutOf: ({ source, allowedTools, model, effort }: SlashView): string =>
    [
      source,
      allowedTools &&
        (allowedTools.length === 0 ? 'every change asks' : `changes ask, except for ${allowedTools.join(', ')}`),
      model && `model ${model}`,
      effort && `effort ${effort}`,
    ]
      .filter(Boolean)
      .join(' · '),
  title: 'Commands',
  about: 'Type / at the beginning of a message to use one.',
  none: 'No commands were found',
  noneDetail:
    'A command is a Markdown file in .coppice/commands or .claude/commands, in the commands folder of Coppice’s data or in ~/.claude/commands.',
} as const
