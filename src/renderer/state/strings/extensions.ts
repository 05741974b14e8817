export const extensionStrings = {
  title: { agents: 'Types of subagents', skills: 'Skills' },
  noProject: 'No project is open',
  noProjectDetail: 'Open a folder to see what it and your settings define.',
  untrusted: 'What this folder defines is not read before you trust it.',
  none: { agents: 'No types are defined', skills: 'No skills were found' },
  noneDetail: {
    agents:
      'Every agent can start general-purpose subagents. Define more in .coppice/agents.yaml, .coppice/agents/*.md, .claude/agents/*.md or as subagents in settings.json.',
    skills:
      'A skill is a folder with a SKILL.md in .agents/skills, .claude/skills or the skills folder of Coppice’s data.',
  },
  problem: 'Not used',
  toolMode: 'answers once, without tools',
  model: (model: string) => `model ${model}`,
  tools: (tools: readonly string[]) => `tools ${tools.join(', ')}`,
  unknownKeys: (keys: readonly string[]) => `not known here: ${keys.join(', ')}`,
} as const
