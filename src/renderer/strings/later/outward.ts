/** Words about what agents may reach and who is told while the person is away. */
export const outwardStrings = {
  away: 'Away from the desk',
  keepAwake: 'Keep the computer awake while agents work',
  keepAwakeHint: 'The screen may go dark.',
  notify: 'Tell a program or an address',
  notifyHint:
    'When an agent needs you and when a thread ends, for example your phone. An address alone gets JSON in a POST. Or a program: its name, then each argument in a line of its own; it gets one line of JSON as its input. Nothing from inside files is sent.',
  test: 'Send a test',
  spans: (host: string, content: boolean) =>
    `Spans of what agents do are sent to ${host}, ${content ? 'with the texts of messages, arguments and results' : 'without texts'}. The setting telemetry says so.`,
  web: 'The web',
  fetch: 'Agents may read pages of the web',
  fetchHint: 'With fetch_url. Each host asks, unless a rule allows it.',
  privateHosts: 'Private hosts they may read as well',
  privateHostsHint:
    'One in each line, such as wiki.corp.example or localhost:8080. Other private addresses are refused.',
} as const
