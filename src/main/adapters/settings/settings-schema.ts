import { isAbsolute } from 'node:path'
import { z } from 'zod'
import { hostProblem } from '#shared/base/reach/host-names.ts'
import { reachProblem, socketProblem } from '#shared/base/reach/local-reach.ts'
import { presetProblem } from '#shared/base/reach/registry-presets.ts'
import type { Goal } from '#shared/model/check.ts'
import { type CheckDefinition, checkMoments } from '#shared/model/check.ts'
import { efforts } from '#shared/model/models/model-facts.ts'
import { commandApprovals } from '#shared/model/settings.ts'
import { providersShape } from './providers-schema.ts'
import { acceptedShape } from './setup-schema.ts'
import { telemetryShape } from './telemetry-schema.ts'
import { tuningShape } from './tuning-schema.ts'

const sandboxMode = z.enum(['auto', 'off'])
/** A host, or a preset of a registry. */
const host = z.string().superRefine((text, context) => {
  const preset = presetProblem(text)
  const problem = preset === undefined ? hostProblem(text) : preset
  if (problem !== null) context.addIssue(problem)
})
const plainHost = z.string().superRefine((text, context) => {
  const problem = hostProblem(text)
  if (problem !== null) context.addIssue(problem)
})
/** Likewise, or a port or socket of this machine, as `localhost:5432` and `/run/docker.sock`. */
const reached = z.string().superRefine((text, context) => {
  const problem = reachProblem(text)
  if (problem !== null) context.addIssue(problem)
})
/** Values by the absolute path of a project's folder. */
function byFolder<Value extends z.ZodType>(value: Value) {
  return z.record(z.string(), value).superRefine((folders, context) => {
    for (const folder of Object.keys(folders).filter((one) => !isAbsolute(one)))
      context.addIssue({
        ...{ code: 'custom', path: [folder] },
        message: `${JSON.stringify(folder.slice(0, 200))} is not the path of a folder from the root. Write it in full, such as /home/me/app.`,
      })
  })
}
const hostsByFolder = byFolder(z.array(host))
const portsByFolder = byFolder(z.array(z.int().min(1).max(65_535)).max(50))
const socketsByFolder = byFolder(
  z
    .array(
      z.string().superRefine((path, context) => {
        const problem = socketProblem(path)
        if (problem !== null) context.addIssue(problem)
      }),
    )
    .max(50),
)

const setupCommand = z.string().trim().min(1)
/** What a setup needs besides its command. */
const setupParts = {
  inputs: z.array(z.string().trim().min(1)).optional().meta({
    description: 'Files whose content decides whether it runs again, as names or patterns from the project’s root.',
    default: [],
  }),
  hosts: z.array(host).optional().meta({
    description:
      'Hosts that it may reach, and presets of package registries such as `preset:npm`. In a project’s own settings they are a proposal.',
    default: [],
  }),
}

/** What one command may take, with everything that it starts. */
const commandLimits = z.strictObject({
  memory_mb: z.int().min(64).optional(),
  processes: z.int().min(32).max(32_768).optional(),
  open_files: z.int().min(64).optional(),
  cpu_seconds: z.int().min(1).optional(),
  disk_mb: z.int().min(64).optional(),
})

/** A check of the project. A definition without one of its parts would be another check, so it is not used at all. */
const check = z
  .strictObject({
    name: z.string().trim().min(1).max(200),
    run: z.string().trim().min(1).max(10_000),
    paths: z.array(z.string().trim().min(1).max(4096)).max(1000).default([]),
    timeout: z.number().positive().max(86_400).default(600),
    on: z.array(z.enum(checkMoments)).min(1).default(['branch', 'merge']),
    required: z.boolean().default(true),
  })
  .transform(({ timeout, ...rest }): CheckDefinition => ({ ...rest, timeoutSeconds: timeout }))
const checks = z.array(check).max(200)

const decision = z.enum(['approve', 'edit', 'reject'])
/** At least one decision, or the call would wait for ever. */
const decisions = z.tuple([decision], decision)
/** One pattern or several. */
const patterns = z.union([
  z
    .string()
    .min(1)
    .transform((pattern) => [pattern]),
  z.array(z.string().min(1)).min(1),
])
/** What an agent must reach before it is done, used here and in the definition of an agent. */
export const goalSetting = z.strictObject({
  checks: z.array(z.string().trim().min(1).max(200)).min(1).optional().meta({
    description: 'Names of checks that must be green. Without it, every required check.',
  }),
  criteria: z.string().trim().min(1).max(10_000).optional().meta({
    description:
      'What the change must fulfil, in words. When the checks are green, one more call of the model judges it by the diff and the checks, not by what the agent says.',
  }),
  attempts: z.int().min(0).max(100).optional().meta({
    description: 'How often the agent is sent back, before you are asked.',
    default: 3,
  }),
})

/** The goal that a setting means. Null for none. */
export function goalFrom(setting: z.infer<typeof goalSetting> | null | undefined): Goal | null {
  if (!setting) return null
  return { checks: setting.checks ?? null, criteria: setting.criteria ?? null, attempts: setting.attempts ?? 3 }
}

/** A person's setting for one tool, used here and in the definition of an agent. */
export const interruptSetting = z.union([
  z.boolean(),
  z.strictObject({ allowed_decisions: decisions, when: patterns.optional() }),
])
const rules = (description: string) => z.array(z.string()).default([]).meta({ description })
const limit = z.number().positive().nullable().optional()
const budget = (description: string, cost: number | null = null) =>
  z
    .strictObject({
      cost: limit.meta({ description: 'US dollars.', default: cost }),
      tokens: limit.meta({ description: 'Input, output and cached input together.', default: null }),
      model_calls: limit.meta({ description: 'Replies of models.', default: null }),
      minutes: limit.meta({ description: 'Time by the clock.', default: null }),
    })
    .optional()
    .meta({ description })
const milliseconds = z.int().positive()
const dollars = z.number().min(0).max(10_000)

/** What keeps the files below a prefix. */
const routeSetting = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('memory') }),
  z.object({ kind: z.literal('store'), scope: z.enum(['project', 'user']) }),
  z.object({ kind: z.literal('folder'), path: z.string().min(1), write: z.enum(['never', 'ask']).default('never') }),
  z.object({ kind: z.literal('branch') }),
])
export type RouteSetting = z.infer<typeof routeSetting>

/** Folders by the names that agents find below `/refs/`. */
const namedFolders = z.record(
  z.string().regex(/^[^/\\]+$/),
  z.strictObject({ path: z.string().min(1), access: z.enum(['read', 'write']).default('read') }),
)

/**
 * The keys of `settings.json`. Each is optional and checked separately, so that one invalid value does not remove the
 * others. `null` means the key is absent.
 *
 * The descriptions and defaults are for people. The guide and the help in the window show them.
 */
export const settingsShape = {
  model: z.string().min(1).meta({
    description: 'The model of new threads. The default is the newest model that this version of Coppice knows.',
  }),
  base_url: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .meta({
      description: 'The address of a server that speaks the same protocol. Null is the Anthropic API.',
      default: null,
    }),
  ...providersShape,
  system_prompt: z
    .string()
    .nullable()
    .meta({ description: 'Replaces the built-in role of the main agent. Null keeps it.', default: null }),
  approval_mode: z.enum(['plan', 'ask', 'auto-edit', 'auto']).meta({
    description: 'How often a new thread asks before it changes something.',
    default: 'auto-edit',
  }),
  approvals: z
    .strictObject({
      commands: z.enum(commandApprovals).optional().meta({
        description:
          'When a command in the sandbox that needs no host is approved. `before`: before it runs. `after`: it runs at once, and its effects wait until you keep them. `adopt`: its effects are kept by themselves. Without it, the mode decides: *Ask* is `before`, *Auto-edit* is `after`, *Auto* is `adopt`. It does not loosen *Ask* or *Plan*.',
      }),
      projects: byFolder(z.strictObject({ commands: z.enum(commandApprovals) }))
        .optional()
        .meta({
          description: 'The same by the folder of the project, such as `{"/home/me/app": {"commands": "adopt"}}`.',
          default: {},
        }),
    })
    .meta({ description: 'When commands are approved. A project’s own settings can only make it stricter.' }),
  interrupt_on: z.record(z.string(), interruptSetting).meta({
    description:
      'Tools that ask before they run, by name. `true` asks, `false` does not. An object limits the answers (`allowed_decisions`) and the cases (`when`: patterns of files or commands).',
    default: {},
  }),
  permissions: z
    .strictObject({
      allow: rules('Calls that run without a question.'),
      ask: rules('Calls that ask.'),
      deny: rules('Calls that are refused.'),
    })
    .meta({
      description: 'Rules such as `Bash(npm test)` or `Write(docs/**)`. Deny comes before ask, and ask before allow.',
    }),
  memory: z
    .strictObject({
      user: z.boolean().default(true).meta({
        description: 'Whether agents know the memories for all projects, below `/memories/user/`.',
      }),
      approve: z.boolean().default(false).meta({
        description: 'Whether each memory that an agent writes, changes or deletes waits for your word, in every mode.',
      }),
    })
    .meta({ description: 'What agents remember beyond a thread. See the page on memory.' }),
  subagents: z.array(z.unknown()).meta({
    description: 'Your own types of subagents, with the keys of a definition. See the page on subagents.',
    default: [],
  }),
  mcp_servers: z.record(z.string(), z.unknown()).meta({
    description: 'Your own servers of the Model Context Protocol, by name, in the form of `.mcp.json`.',
    default: {},
  }),
  hooks: z.record(z.string(), z.unknown()).meta({
    description:
      'Your own hooks, by event, in the form that Claude Code has. They run on this machine as you, in every project.',
    default: {},
  }),
  max_iterations: z.int().min(1).max(10_000).meta({
    description:
      'Replies of the model in one run of an agent, before the run ends. Without it, 100 for the main agent and 50 for a subagent.',
  }),
  max_subagent_depth: z.int().min(0).max(10).meta({
    description: 'Levels of subagents below the main agent. 0 allows none.',
    default: 1,
  }),
  batch_concurrency: z.int().min(1).max(100).meta({
    description: 'Subagents of one batch that work at the same time.',
    default: 10,
  }),
  quarantine: z
    .strictObject({
      mode: z.enum(['strict', 'scoped', 'off']).meta({
        description: "How much of its parent's conversation a subagent sees, unless its definition says otherwise.",
        default: 'strict',
      }),
      inherit: z.boolean().default(true).meta({
        description: 'Whether a nested subagent sees as much as its parent does. Otherwise `mode` decides for each.',
      }),
    })
    .meta({ description: 'Keeps the conversation of an agent away from its subagents.' }),
  max_tokens: z.int().min(256).max(1_000_000).meta({ description: 'Tokens of one reply at most.', default: 32_000 }),
  ...tuningShape,
  effort: z.enum(efforts).nullable().meta({
    description: "How long the model thinks. Null is the model's own default.",
    default: null,
  }),
  budgets: z
    .strictObject({
      run: budget('One run with all its subagents.', 5),
      thread: budget('The whole life of a thread.'),
      batch: budget('One batch with all its tasks.'),
      subagent: budget('Each subagent alone.'),
    })
    .meta({ description: 'Limits that end the work when they are spent. Null removes a limit.' }),
  unknown_price: z.union([z.literal('refuse'), z.object({ input: dollars, output: dollars })]).meta({
    description:
      'What limits in dollars do with a model whose price is unknown: `"refuse"` to start, or count its tokens at these prices, in US dollars per million tokens.',
    default: { input: 3, output: 15 },
  }),
  eviction: z
    .object({
      tokens: z.int().min(100).max(1_000_000).optional().meta({
        description:
          'Tokens of a tool result that stay in the conversation; also of a message, for which 20,000 is the least.',
        default: 20_000,
      }),
    })
    .meta({ description: 'A larger result or message goes to a file that the agent can read.' }),
  summarisation: z
    .object({
      tokens: z.int().min(1000).optional().meta({ description: 'At this many tokens.', default: 170_000 }),
      share: z.number().min(0.1).max(1).optional().meta({
        description: "At this share of the model's window, if that is earlier.",
        default: 0.85,
      }),
    })
    .meta({ description: 'When the older part of a conversation is summarised.' }),
  routes: z.record(z.string(), routeSetting).meta({
    description:
      'Other places beside the project, by the path that agents use, such as `/notes/`. The longest path decides. `memory` is kept for one thread, `store` for the `project` or for all projects of the `user`, `folder` is a real folder (`path`; `write`: `never` or `ask`), `branch` is the project again. Read when a project is opened.',
    default: {},
  }),
  folders: z
    .strictObject({
      projects: byFolder(namedFolders).optional().meta({
        description:
          'By the folder of the project, such as `{"/home/me/app": {"lib": {"path": "~/lib"}}}`. Agents find it as `/refs/lib/`, and one with `"access": "write"` as `/lib/`, a second folder of the project.',
        default: {},
      }),
      proposed: namedFolders.optional().meta({
        description:
          'For the settings of a project alone: folders that it needs, by paths from its own folder, such as `../lib`. You are asked before agents read them.',
        default: {},
      }),
    })
    .meta({
      description:
        'More folders of a project. One that is only read is no part of its changes. One with `"access": "write"` is changed on branches as the first one is, with its own repository, patch and delivery. Read when a project is opened.',
    }),
  sandbox: z
    .union([
      sandboxMode,
      z.strictObject({
        mode: sandboxMode.optional(),
        hosts: hostsByFolder.optional(),
        local_ports: portsByFolder.optional(),
        sockets: socketsByFolder.optional(),
        limits: commandLimits.optional(),
        proposed_hosts: z.array(reached).optional(),
      }),
    ])
    .meta({
      description:
        '`off` runs commands without the sandbox of the system; then each of them asks. Read when Coppice starts. Or an object: `mode` for that, and `hosts` for what all commands in a project may reach, by the folder of the project, such as `{"/home/me/app": ["preset:npm", "registry.example.com", "*.example.com:443"]}`. `local_ports` and `sockets` are ports and unix sockets of this machine that they reach, such as `{"/home/me/app": [5432]}` and `{"/home/me/app": ["/run/docker.sock", "~/.colima/docker.sock"]}`; whoever has the socket of Docker is root on this machine. Only your own settings grant these. The settings of a trusted project may list `proposed_hosts`, which you are asked about; they may also name ports and sockets, as `localhost:5432` and `/run/docker.sock`. `limits` is what one command may take with all it starts: `memory_mb` (60 % of the memory, at most 8192, when nothing is set), `processes` with their threads (4096), `open_files` of each process (16384), `cpu_seconds` of all cores together (21600), `disk_mb` (20480).',
      default: 'auto',
    }),
  processes: z
    .strictObject({
      max: z.int().min(1).max(1000).optional().meta({
        description: 'How many run at the same time in each project, of all its agents. A branch has at most 8.',
        default: 32,
      }),
    })
    .meta({ description: 'Commands that agents run in the background, such as servers.' }),
  environment: z
    .strictObject({
      setup: setupCommand.optional().meta({
        description:
          'A command that installs what the project needs, such as `npm ci`. It runs in a view, in the sandbox.',
      }),
      ...setupParts,
      timeout_minutes: z.number().positive().max(1440).optional().meta({
        description: 'Minutes after which it is ended.',
        default: 20,
      }),
      projects: byFolder(z.strictObject({ setup: setupCommand.nullable().optional(), ...setupParts, ...acceptedShape }))
        .optional()
        .meta({
          description:
            'The same by the folder of the project, such as `{"/home/me/app": {"setup": "npm ci", "inputs": ["package-lock.json"], "hosts": ["preset:npm"]}}`. `"setup": null` proposes none for it. Here alone stand also `archive`, a command that takes down what a branch set up, and `variables` of all commands.',
          default: {},
        }),
    })
    .meta({
      description:
        'What makes a project ready for commands. It runs once, before the first command of an agent, and again when an input changes. Every thread and branch begins with what it leaves in ignored files and in its home. A trusted project may define it too.',
    }),
  checks: checks.meta({
    description:
      'Commands that say whether a tree is any good, for all your projects: `[{"name": "test", "run": "npm test"}]`. A check may have `paths` (patterns of the files that it is about), `timeout` in seconds (600), `on` (`branch`, `merge`, `apply`; the first two when it is left out) and `required` (true). A trusted project may define checks too; yours win by their names. See the page on checks.',
    default: [],
  }),
  checks_by_folder: byFolder(checks).meta({
    description:
      'The same by the folder of the project, such as `{"/home/me/app": [{"name": "test", "run": "npm test"}]}`. An empty list proposes none for it.',
    default: {},
  }),
  goal: goalSetting.nullable().meta({
    description:
      'What a thread must reach before it is done: `{}` for all required checks. When the agent stops and one is not green, or the criteria are not met, it goes on and is told why. A thread may have a goal of its own. Null is none.',
    default: null,
  }),
  environments: z
    .object({
      max_gb: z.number().min(0).max(100_000).optional().meta({
        description: 'Gigabytes on disk in each project. What no command used for the longest time goes first.',
        default: 10,
      }),
    })
    .meta({ description: 'What commands leave in ignored files and in their home, such as installed packages.' }),
  editor: z.array(z.string().min(1)).min(1).nullable().meta({
    description:
      'What *Open in editor* and *Open branch in editor* start: a program and its arguments, with `{path}` and `{line}` where they belong, such as `["code", "--goto", "{path}:{line}"]`. A branch is a folder, so those about a file or a line are left out for it. Null takes the first known editor on PATH.',
    default: null,
  }),
  keep_awake: z.boolean().meta({
    description:
      'Keeps the computer awake while agents work. The desktop app does it itself; elsewhere `systemd-inhibit` (Linux) or `caffeinate` (macOS) does.',
    default: false,
  }),
  notify: z
    .strictObject({
      command: z.array(z.string().min(1)).min(1).optional().meta({
        description: 'A program of yours and its arguments. It gets one line of JSON as its input and has ten seconds.',
      }),
      url: z
        .url({ protocol: /^https?$/ })
        .optional()
        .meta({ description: 'An address of yours that gets the JSON in a POST.' }),
    })
    .nullable()
    .refine((target) => target === null || (target.command === undefined) !== (target.url === undefined), {
      error: 'Name either a command or a url.',
    })
    .meta({
      description:
        'Who is told when an agent needs you and when a thread ends: a command or an address. See [Away from the desk](the-app.md#away-from-the-desk).',
      default: null,
    }),
  telemetry: telemetryShape,
  web: z
    .strictObject({
      fetch: z.boolean().optional().meta({
        description: 'Whether agents may read pages with `fetch_url`. Each host asks, unless a rule allows it.',
        default: false,
      }),
      private_hosts: z.array(plainHost).optional().meta({
        description:
          'Hosts of this machine or of a private network that `fetch_url` may reach as well, such as `wiki.corp.example` or `localhost:8080`.',
        default: [],
      }),
    })
    .meta({ description: 'Pages of the web, for agents.' }),
  updates: z.enum(['daily', 'off']).meta({
    description:
      'Whether the desktop app looks for a new version once a day and downloads it. It is installed when you say so.',
    default: 'daily',
  }),
  gpu: z.enum(['auto', 'off']).meta({
    description:
      '`off` draws the window of the desktop app without the graphics card. Read when it starts. It is off by itself after the card failed.',
    default: 'auto',
  }),
  runner: z
    .strictObject({
      timeout_ms: milliseconds.optional().meta({ description: 'Milliseconds.', default: 30_000 }),
      memory_mb: z.int().min(16).optional().meta({ description: 'Megabytes.', default: 128 }),
    })
    .meta({ description: 'What one run of code may take before it ends.' }),
  retry: z
    .object({
      attempts: z.int().min(1).max(20).optional().meta({ description: 'Tries, the first one included.', default: 6 }),
      base_delay_ms: milliseconds.optional().meta({
        description: 'Milliseconds before the second try, doubled with each further one.',
        default: 1_000,
      }),
      max_delay_ms: milliseconds.optional().meta({
        description: 'Milliseconds between two tries at most.',
        default: 60_000,
      }),
    })
    .meta({ description: 'How a call of a model is repeated after a temporary error.' }),
} as const

export type SettingsKey = keyof typeof settingsShape
export type Settings = { readonly [Key in SettingsKey]?: z.infer<(typeof settingsShape)[Key]> | undefined }

/** Keys that are kept and not reported as unknown. */
export const reservedKeys: ReadonlySet<string> = new Set(['$schema'])
