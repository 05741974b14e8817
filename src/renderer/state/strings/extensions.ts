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
  newTitle: { agents: 'New type of subagent', skills: 'New skill' },
  newAbout: {
    agents: 'Written into your settings.json: every project has it, no project is changed.',
    skills: 'Written into the skills folder of Coppice’s data: every project has it, no project is changed.',
  },
  name: 'Name',
  nameHint: 'Letters, digits, dots, dashes and underscores.',
  description: 'Description',
  descriptionHint: {
    agents: 'When to use it. The main agent reads this in every request.',
    skills: 'When to read it. Agents read this in every request, and the skill itself when it fits.',
  },
  text: { agents: 'Instructions', skills: 'What the skill says' },
  create: 'Create',
  added: (name: string) => `Created ${name}`,
  tokens: (count: number) => `about ${count} tokens in each request`,
  cost: (tokens: string) => `Names and descriptions together: about ${tokens} tokens in each request.`,
  open: 'Open',
  openNamed: (file: string) => `Open ${file}`,
  copyPath: 'Copy path',
  copyPathNamed: (file: string) => `Copy the path ${file}`,
  problem: 'Not used',
  toolMode: 'answers once, without tools',
  model: (model: string) => `model ${model}`,
  tools: (tools: readonly string[]) => `tools ${tools.join(', ')}`,
  unknownKeys: (keys: readonly string[]) => `not known here: ${keys.join(', ')}`,
} as const
