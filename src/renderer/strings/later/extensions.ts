import type { AgentTrial } from '#shared/contract/views/extensions.ts'
import { plural } from '#shared/text/plural.ts'

export const extensionStrings = {
  title: { agents: 'Types of subagents', skills: 'Skills' },
  noProject: 'No project is open',
  noProjectDetail: 'Open a folder to see what it and your settings define.',
  untrusted: 'Definitions in this folder are read only after you trust it.',
  none: { agents: 'No types are defined', skills: 'No skills were found' },
  noneDetail: {
    agents:
      'Every agent can start general-purpose subagents. Define more in .coppice/agents.yaml, .coppice/agents/*.md, .claude/agents/*.md or as subagents in settings.json.',
    skills:
      'A skill is a folder with a SKILL.md in .agents/skills or .claude/skills, here or in your home, or in the skills folder of Coppice’s data.',
  },
  newTitle: { agents: 'New type of subagent', skills: 'New skill' },
  newAbout: {
    agents: 'Saved in your settings.json. Every project has it, and no project is changed.',
    skills: 'Saved in the skills folder of Coppice’s data. Every project has it, and no project is changed.',
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
  compatibility: (needs: string) => `needs: ${needs}`,
  toolMode: 'answers once, without tools',
  answersInJson: 'answers in JSON',
  model: (model: string) => `model ${model}`,
  tools: (tools: readonly string[]) => `tools ${tools.join(', ')}`,
  unknownKeys: (keys: readonly string[]) => `not known here: ${keys.join(', ')}`,
} as const

export const mcpStrings = {
  about:
    'Servers give agents more tools. A server that is a command runs on your machine with your rights and can change your files directly. None starts before you trust exactly what is shown.',
  noProject: 'No project is open',
  noProjectDetail: 'Open a folder to see the servers it and your settings define.',
  none: 'No servers are defined',
  noneDetail: 'Define them in .mcp.json of the project, or as mcp_servers in your settings.json.',
  problems: 'Some definitions cannot be used',
  folderFirst: 'Servers of the project start once the folder itself is trusted.',
  source: { project: '.mcp.json of the project', user: 'your settings' },
  state: {
    untrusted: 'Not trusted',
    idle: 'Not connected',
    connecting: 'Connecting',
    ready: 'Connected',
    failed: 'Failed',
    login: 'Needs a login',
  },
  trust: 'Trust',
  untrust: 'No longer trust',
  trustNamed: (name: string) => `Trust ${name}`,
  untrustNamed: (name: string) => `No longer trust ${name}`,
  newServer: 'New server',
  editNamed: (name: string) => `Edit ${name}`,
  removeNamed: (name: string) => `Remove ${name}`,
  removed: (name: string) => `Removed ${name}`,
  saved: 'Server saved. It starts once you trust it.',
  save: 'Save server',
  name: 'Name',
  kind: 'How it is reached',
  kinds: { stdio: 'A command on this machine', http: 'An address (streamable HTTP)' },
  command: 'Command',
  commandHint: 'The program alone, without a shell.',
  url: 'Address',
  args: 'Arguments',
  onePerLine: 'One on each line.',
  env: 'Environment',
  envHint: 'NAME=value, one on each line.',
  headers: 'Headers',
  headersHint: 'Name: value, one on each line.',
  test: 'Connect and read tools',
  testing: 'Connecting…',
  tools: (count: number, tokens: string) =>
    `${plural(count, 'tool', 'tools')}, about ${tokens} tokens in each request that shows them`,
  denied: (count: number) => `${count} denied by your rules: no agent gets ${count === 1 ? 'it' : 'them'}`,
  deniedBy: (rule: string) => `denied by the rule ${rule}`,
  leftOut: 'Left out',
  changed: (change: string) => `${change}: asks again`,
  errorOutput: 'What its process wrote',
} as const

export const externalAgentStrings = {
  title: 'External agents',
  about:
    'Agents that you have already, with your own login. They work on a branch in the sandbox and find nothing else of this machine than what is named here. Nothing is installed for you.',
  missing: 'Not installed',
  add: 'Add',
  addNamed: (title: string) => `Add ${title}`,
  added: (title: string) => `${title} is in the model menu now`,
  tryIt: 'Test',
  tryNamed: (title: string) => `Test ${title}`,
  trying: 'Testing…',
  copy: 'Copy how to install',
  copyNamed: (title: string) => `Copy how to install ${title}`,
  opens: (hosts: readonly string[], home: readonly string[]) =>
    [
      `It may reach ${hosts.length === 0 ? 'no host' : hosts.join(', ')}`,
      `and change ${home.length === 0 ? 'nothing of your home, so it finds no login there' : home.join(', ')}.`,
      'You can change both in settings.json.',
    ].join(' '),
  registry: {
    choose: 'Import from a registry file…',
    about: 'A file in the format of the public registry of agents: registry.json, or the agent.json of one.',
    found: 'Agents of the file',
    none: 'The file has no agent for this machine.',
  },
  logIn: 'Log in in a terminal',
  logInWith: (text: string) => `Log in in a terminal: ${text}`,
  logInHint: (command: string) => `Opens your own terminal with this typed into it, for you to run: ${command}`,
  trial: ({ name, version, protocolVersion, logins }: AgentTrial) => {
    const who = [name, version].filter((part) => part !== '').join(' ')
    if (logins === null) return `${who} works. It speaks version ${protocolVersion} of the protocol.`
    const ways = logins.map(({ text }) => text).join('; ')
    const how = ways === '' ? 'Log in with its own program in a terminal.' : `It offers: ${ways}.`
    return `${who} is not logged in. ${how}`
  },
}
