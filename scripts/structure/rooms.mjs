// The rooms of docs/architecture.md: for each folder of `src`, the imports that its files may have. Everything else
// is forbidden, and a file outside every room is an error.

/** The package that the app stands on. Only its doors can be imported. */
const overlay = 'packages/overlay'
const plain = ['shared/base', 'shared/text', 'shared/model']
const coreBase = [...plain, 'main/core/ports', 'main/core/paths']
const engine = [...coreBase, overlay, 'main/core/branches']
const toolRooms = ['main/core/tools', 'main/core/trial', 'main/core/memory', 'main/core/secrets', 'main/core/prompts']
const everyTool = ['shared/tools', ...toolRooms]
const agent = [
  ...[...engine, ...everyTool, 'main/core/journal', 'main/core/approval', 'main/core/setup', 'main/core/checks'],
  'main/core/agent',
]
const adapter = [...plain, 'main/core/ports', 'main/core/paths', 'main/adapters/pace.ts', 'main/adapters/system']
const host = [...plain, overlay, 'shared/tools', 'shared/contract', 'main/core', 'main/adapters']
const frontend = ['shared/base', 'shared/text', 'shared/contract', 'main/host']
const region = [
  ...plain,
  'shared/tools',
  'shared/contract',
  'renderer/state',
  'renderer/parts',
  'renderer/ui',
  'renderer/strings',
]

/**
 * Rules by folder. `rooms` lists the rooms that it may import besides itself. `packages` lists the packages that it may
 * use; null allows all packages except those that belong to one room. `importers` lists the only rooms that may import it.
 */
export const rooms = {
  [overlay]: { rooms: [], packages: ['diff', 'node-diff3'] },

  'shared/base': { rooms: [], packages: [] },
  'shared/text': { rooms: ['shared/base'], packages: [] },
  // Passes the overlay's words on, so that the window and the adapters know paths and patches, and no engine.
  'shared/model': { rooms: ['shared/base', overlay], packages: ['zod'] },
  'shared/tools': { rooms: plain, packages: [] },
  'shared/contract': { rooms: [...plain, 'shared/tools'], packages: ['zod', '@orpc/contract'] },

  // Passes on the interfaces that the overlay asks for, beside those of the app.
  'main/core/ports': { rooms: [...plain, overlay], packages: [] },
  'main/core/paths': { rooms: [...plain, 'main/core/ports'], packages: [] },
  // Several folders of a project as one, behind each port.
  'main/core/folders': { rooms: [...coreBase, overlay], packages: [] },
  'main/core/secrets': { rooms: plain, packages: [] },
  'main/core/prompts': { rooms: plain, packages: [] },
  'main/core/branches': { rooms: [...coreBase, overlay], packages: [] },
  'main/core/journal': { rooms: engine, packages: [] },
  'main/core/delivery': {
    rooms: [...engine, 'main/core/journal', 'main/core/secrets', 'main/core/trial'],
    packages: [],
  },
  'main/core/memory': { rooms: [...coreBase, overlay, 'main/core/secrets'], packages: [] },
  'main/core/trial': { rooms: [...engine, 'main/core/secrets'], packages: [] },
  'main/core/checkouts': { rooms: [...engine, 'main/core/journal', 'main/core/trial'], packages: [] },
  'main/core/tools': { rooms: [...engine, ...everyTool, 'main/core/folders'], packages: ['zod', 'diff', 'image-size'] },
  'main/core/setup': { rooms: [...engine, ...everyTool], packages: ['jsonc-parser', 'smol-toml'] },
  'main/core/checks': {
    rooms: [...engine, ...everyTool, 'main/core/journal', 'main/core/setup'],
    packages: [],
  },
  'main/core/approval': { rooms: [...coreBase, overlay, ...everyTool], packages: ['unbash'] },
  'main/core/agent': { rooms: agent, packages: ['zod'] },
  'main/core/commands': { rooms: agent, packages: [] },
  'main/core/records': { rooms: [...agent, 'main/core/commands'], packages: ['zod'] },

  'main/adapters/acp': { rooms: adapter, packages: ['@agentclientprotocol/sdk'] },
  'main/adapters/anthropic': { rooms: [...adapter, 'main/adapters/model-http'], packages: ['@anthropic-ai/sdk'] },
  'main/adapters/openai': { rooms: [...adapter, 'main/adapters/model-http'], packages: ['openai'] },
  'main/adapters/model-http': { rooms: adapter, packages: [] },
  'main/adapters/checkouts': { rooms: adapter, packages: [] },
  'main/adapters/clock': { rooms: adapter, packages: [] },
  'main/adapters/demo': { rooms: adapter, packages: [] },
  'main/adapters/disk': { rooms: adapter, packages: ['zod'] },
  'main/adapters/git': { rooms: [...adapter, 'main/core/secrets'], packages: [] },
  'main/adapters/mcp': {
    rooms: adapter,
    packages: ['@modelcontextprotocol/client', '@modelcontextprotocol/server', '@modelcontextprotocol/server/stdio'],
  },
  'main/adapters/web': {
    rooms: [...adapter, 'shared/tools'],
    packages: ['lru-cache', 'turndown', '@truto/turndown-plugin-gfm'],
  },
  'main/adapters/pdf': { rooms: adapter, packages: ['pdfjs-dist'] },
  'main/adapters/programs': { rooms: adapter, packages: [] },
  'main/adapters/registries': { rooms: adapter, packages: [] },
  'main/adapters/runner': { rooms: adapter, packages: ['isolated-vm', '@pydantic/monty'] },
  'main/adapters/search': { rooms: [...adapter, overlay], packages: ['picomatch'] },
  'main/adapters/secrets': { rooms: adapter, packages: ['write-file-atomic'] },
  'main/adapters/settings': { rooms: adapter, packages: ['zod', 'jsonc-parser', 'write-file-atomic'] },
  'main/adapters/shell': { rooms: adapter, packages: ['@anthropic-ai/sandbox-runtime', 'node-pty'] },
  'main/adapters/sqlite': { rooms: adapter, packages: ['better-sqlite3', 'lru-cache'] },
  'main/adapters/system': { rooms: [...plain], packages: ['undici'] },
  'main/adapters/text': { rooms: adapter, packages: ['diff', 'node-diff3'] },
  'main/adapters/mounts': { rooms: [...adapter, overlay, 'main/core/secrets'], packages: [] },
  'main/adapters/watch': { rooms: adapter, packages: ['chokidar'] },
  'main/adapters/pace.ts': { rooms: [...plain, 'main/core/ports'], packages: [] },

  'main/host': {
    rooms: host,
    packages: ['zod', 'yaml', 'jsonc-parser', 'smol-toml', 'marked', 'papaparse', 'write-file-atomic', '@orpc/server'],
  },
  'main/host/wiring': {
    rooms: [...host, 'main/host'],
    packages: ['@orpc/server'],
    importers: ['main/web', 'main/cli', 'main/desktop'],
  },
  'main/web': { rooms: frontend, packages: ['hono', '@hono/node-server', 'ws', '@orpc/server'] },
  'main/cli': {
    rooms: [...frontend, 'shared/model', 'shared/tools', 'main/web'],
    packages: [
      'env-paths',
      'zod',
      'string-width',
      '@xterm/headless',
      '@agentclientprotocol/sdk',
      '@modelcontextprotocol/server',
    ],
  },
  'main/desktop': {
    rooms: [...frontend, 'main/cli'],
    packages: ['electron', 'electron-updater', 'env-paths', '@orpc/server', 'zod', 'write-file-atomic'],
  },
  preload: { rooms: ['shared/contract'], packages: ['electron'] },

  'renderer/ui': { rooms: [...plain, 'shared/contract'], packages: null },
  'renderer/strings': { rooms: [...plain, 'shared/contract', 'shared/tools'], packages: [] },
  'renderer/state': {
    rooms: [...plain, 'shared/tools', 'shared/contract', 'renderer/ui', 'renderer/strings'],
    packages: null,
  },
  'renderer/parts': {
    rooms: [...plain, 'shared/tools', 'shared/contract', 'renderer/state', 'renderer/ui', 'renderer/strings'],
    packages: null,
  },
  'renderer/app': { rooms: [...plain, 'shared/contract', 'shared/tools', 'renderer'], packages: null },
  ...regions([
    'about',
    'approvals',
    'batches',
    'branches',
    'changes',
    'chat',
    'checks',
    'context',
    'files',
    'history',
    'home',
    'memory',
    'rewind',
    'settings',
    'setup',
    'terminal',
    'threads',
    'todos',
  ]),
  'renderer/main.ts': { rooms: ['renderer/app', 'renderer/state', 'renderer/strings', 'renderer/ui'], packages: null },
}

/** The regions of the window, which only `app` may import together. */
function regions(names) {
  return Object.fromEntries(names.map((name) => [`renderer/${name}`, { rooms: region, packages: null }]))
}

/** The rooms that run on Node. `node:` modules are refused everywhere else. */
export const nodeRooms = [
  'packages/overlay/src/node.ts',
  'main/adapters',
  'main/host',
  'main/web',
  'main/cli',
  'main/desktop',
]

/** Packages that only the rooms that name them may use, even where `packages` is null. */
export const exclusivePackages = ['electron']
