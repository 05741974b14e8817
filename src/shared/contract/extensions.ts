import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { ServerQuestion } from '../model/calls/server-question.ts'
import { threadId } from '../model/entry-parts.ts'
import { mcpTransport, projectId } from './primitives.ts'
import { setupFields } from './settings-update.ts'
import type {
  AgentTrial,
  ExtensionList,
  KnownAgent,
  McpList,
  McpResourceView,
  RegistryView,
  SlashList,
  SlashPreview,
} from './views/extensions.ts'
import type { HookListView } from './views/hooks.ts'
import type { ImportList, ImportReceipt, ImportUndone } from './views/imports.ts'

const nothing = type<void>()
const project = z.object({ projectId })
const registryText = z.string().max(5_000_000)
/** Allowed names of the user's own definitions. */
const extensionName = z
  .string()
  .trim()
  .max(60)
  .regex(/^[A-Za-z0-9][\w.-]*$/)

/** What a person and a project add to agents. */
export const extensionCommands = {
  /** `servers` is false where the state of MCP servers does not matter; then none is asked or started. */
  list: oc.input(project.extend({ servers: z.boolean().default(true) })).output(type<ExtensionList>()),
  /**
   * What a word after a slash can mean. `servers` is false to list no prompts but those of servers that are connected
   * already; then none is started. With a `model` that is an external agent, the commands of that agent too.
   */
  slash: oc
    .input(project.extend({ servers: z.boolean().default(true), model: z.string().max(200).optional() }))
    .output(type<SlashList>()),
  /** What the text of a message would tell the agent. Null when it asks for nothing. `threadId` is null for a new thread. */
  previewSlash: oc
    .input(project.extend({ threadId: threadId.nullable(), text: z.string().min(1).max(200_000) }))
    .output(type<SlashPreview | null>()),
  /** Adds an agent to the user's settings. Fails as `REFUSED` when the name is taken. */
  addAgent: oc
    .input(
      z.object({
        name: extensionName,
        description: z.string().trim().min(1).max(2000),
        prompt: z.string().trim().max(100_000).optional(),
        model: z.string().trim().min(1).max(200).optional(),
      }),
    )
    .output(nothing),
  /** The external agents that Coppice knows, with whether this machine has them. Nothing is started. */
  knownAgents: oc.input(project).output(type<readonly KnownAgent[]>()),
  /** Writes the proposed definition of a known agent into the user's settings. Fails as `REFUSED` when the name is taken. */
  addKnownAgent: oc.input(z.object({ name: extensionName })).output(nothing),
  /** What a file in the format of the public registry of agents would define. Nothing is started or written. */
  readRegistry: oc.input(project.extend({ text: registryText })).output(type<RegistryView>()),
  /** Writes the definition of one agent of such a file into the user's settings. Fails as `REFUSED` when the name is taken. */
  addRegistryAgent: oc.input(z.object({ text: registryText, name: extensionName })).output(nothing),
  /**
   * Adds hosts that an external agent may reach to its definition in the user's settings. Its next start has them. Fails as
   * `REFUSED` when another file defines it.
   */
  allowHosts: oc.input(z.object({ name: extensionName, hosts: setupFields.hosts })).output(nothing),
  /** Starts an external agent of the user's settings without a message. Fails as `REFUSED` with what is wrong. */
  tryAgent: oc.input(project.extend({ name: extensionName })).output(type<AgentTrial>()),
  /** Adds a skill to the user's own folder, which every project sees. Returns the path of its file. */
  addSkill: oc
    .input(
      z.object({
        name: extensionName,
        description: z.string().trim().min(1).max(2000),
        body: z.string().trim().min(1).max(200_000),
      }),
    )
    .output(type<{ readonly file: string }>()),
}

const hookOfProject = project.extend({ hash: z.string().min(1).max(100) })

/** Hooks of the person and of the project. */
export const hookCommands = {
  /** Reads the files anew. */
  list: oc.input(project).output(type<HookListView>()),
  /** Lets a hook of the project run as it is now, or not any more. Fails as `NOT_FOUND` when it is another one by now. */
  approve: oc.input(hookOfProject.extend({ approved: z.boolean() })).output(type<HookListView>()),
  /** Switches a hook off in every project, or on again. Fails as `NOT_FOUND` when it is another one by now. */
  setOn: oc.input(hookOfProject.extend({ on: z.boolean() })).output(type<HookListView>()),
}

const fieldValue = z.union([z.string().max(100_000), z.number(), z.boolean(), z.array(z.string().max(10_000)).max(200)])
const serverAnswer = z.discriminatedUnion('action', [
  z.object({ action: z.literal('accept'), values: z.record(z.string().max(1_000), fieldValue) }),
  z.object({ action: z.enum(['decline', 'cancel']) }),
])

/** One exact definition of a server in an open project. */
const mcpServer = project.extend({ hash: z.string().length(64) })

/** The servers whose tools agents get, and the logins to them. */
export const mcpCommands = {
  list: oc.input(project).output(type<McpList>()),
  /** Writes one server into the user's settings. It starts once its exact definition is trusted. */
  put: oc.input(z.object({ name: extensionName, transport: mcpTransport })).output(nothing),
  remove: oc.input(z.object({ name: extensionName })).output(nothing),
  /** Trusts one exact definition, named by its hash, or withdraws that trust. */
  trust: oc.input(mcpServer.extend({ trusted: z.boolean() })).output(type<McpList>()),
  /** Connects every trusted server that is not connected. */
  refresh: oc.input(project).output(type<McpList>()),
  /**
   * Begins a login to a trusted server, and returns the page to open. `remember` keeps it longer than the app runs. Fails as
   * `REFUSED` when the server says nothing of logins, or says what must not be followed.
   */
  login: oc.input(mcpServer.extend({ remember: z.boolean() })).output(type<{ readonly address: string }>()),
  /** Returns when the login that waits has ended well. Fails as `REFUSED` when it did not. */
  loggedIn: oc.input(mcpServer).output(type<McpList>()),
  /** Gives the login that waits the address at which the browser ended, where it cannot reach this machine. */
  answerLogin: oc.input(mcpServer.extend({ address: z.string().max(20_000) })).output(nothing),
  cancelLogin: oc.input(mcpServer).output(nothing),
  /** What servers ask people now, oldest first. */
  questions: oc.input(project).output(type<readonly ServerQuestion[]>()),
  /** Answers one of them. Fails as `REFUSED` with what does not fit, and as `NOT_FOUND` when the server waits no longer. */
  answer: oc.input(project.extend({ id: z.string().max(100), answer: serverAnswer })).output(nothing),
  /** Connects the trusted servers, and returns their resources whose server, address or name contains the query. */
  resources: oc
    .input(project.extend({ query: z.string().max(2_000), limit: z.int().min(1).max(100) }))
    .output(type<readonly McpResourceView[]>()),
  logOut: oc.input(mcpServer).output(type<McpList>()),
}

/** Without a project, only the person's home is looked at. */
const importPlace = z.object({ projectId: projectId.nullable() })

/** Taking over what other tools for agents define. Only places of the person are written, never a project or those tools. */
export const importCommands = {
  /** What there is. Nothing is written, and nothing of a folder is read before it is trusted. */
  find: oc.input(importPlace).output(type<ImportList>()),
  /**
   * Takes over the chosen items of a list as they were shown. Fails as `CONFLICT` when the list is another one by now, and
   * as `BAD_REQUEST` for an item that cannot be taken, or two of which only one can be.
   */
  take: oc
    .input(
      importPlace.extend({
        ids: z.array(z.string().min(1).max(1000)).min(1).max(5000),
        fingerprint: z.string().max(200),
      }),
    )
    .output(type<ImportReceipt>()),
  /** Takes back the latest import. What was changed since is kept and named. Fails as `NOT_FOUND` when there is none. */
  undo: oc.input(importPlace.extend({ id: z.string().max(200) })).output(type<ImportUndone>()),
}
