import { plural } from './common.ts'

export const mcpStrings = {
  about:
    'Servers give agents more tools. One that runs a command runs on your machine with your rights, outside the overlay. Nothing starts before you trust exactly what is shown.',
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
  },
  trust: 'Trust',
  untrust: 'No longer trust',
  trustNamed: (name: string) => `Trust ${name}`,
  untrustNamed: (name: string) => `No longer trust ${name}`,
  test: 'Connect and read tools',
  testing: 'Connecting…',
  tools: (count: number, tokens: string) => `${plural(count, 'tool', 'tools')}, about ${tokens} tokens in each request`,
  changed: (change: string) => `${change}: asks again`,
  errorOutput: 'What its process wrote',
} as const
