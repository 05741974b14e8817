import { type ClientContext, methods } from '@agentclientprotocol/sdk'
import type { AgentChoice, AgentChoiceKind, AgentChoices } from '#core/ports/programs/external-agent.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#shared/base/json.ts'
import { isText, objectsIn } from './json-parts.ts'

/** What a session offers of one kind to choose from. */
export interface SessionChoices {
  choices(): AgentChoices
  /** Reads what the agent says of them: in its answer to the beginning of a session or to a choice, or in an update. */
  read(said: JsonObject): void
  /** Rejects when the agent refuses. */
  choose(agent: ClientContext, sessionId: string, id: string): Promise<void>
}

/** How agents say it that do not offer it as one of their options. */
interface Plain {
  readonly field: string
  readonly list: string
  readonly current: string
  /** The update that tells of another one. Null for none. */
  readonly update: string | null
  readonly id: string
  readonly method: string
}

const plain: Readonly<Partial<Record<AgentChoiceKind, Plain>>> = {
  mode: {
    ...{ field: 'modes', list: 'availableModes', current: 'currentModeId', update: 'current_mode_update' },
    ...{ id: 'modeId', method: methods.agent.session.setMode },
  },
  // The library does not know it any more, and agents still use it.
  model: {
    ...{ field: 'models', list: 'availableModels', current: 'currentModelId', update: null },
    ...{ id: 'modelId', method: 'session/set_model' },
  },
}

/** What the protocol calls the options of a kind. */
const categories: Readonly<Record<AgentChoiceKind, string>> = {
  mode: 'mode',
  model: 'model',
  effort: 'thought_level',
}

/** All that a session offers, each part as `SessionChoices` says. */
export function createAllChoices() {
  const all = {
    mode: createSessionChoices('mode'),
    model: createSessionChoices('model'),
    effort: createSessionChoices('effort'),
  }
  return {
    choices: (kind: AgentChoiceKind) => all[kind].choices(),
    read(said: JsonObject): void {
      for (const one of Object.values(all)) one.read(said)
    },
    choose: (kind: AgentChoiceKind, ...given: Parameters<SessionChoices['choose']>) => all[kind].choose(...given),
  }
}

/** By the protocol, an option goes before what says the same in an older way. */
export function createSessionChoices(kind: AgentChoiceKind): SessionChoices {
  const {
    field = '',
    list = '',
    current: currentKey = '',
    update = null,
    id: idKey = '',
    method = '',
  } = plain[kind] ?? {}
  let current = ''
  let offered: readonly AgentChoice[] = []
  /** The option that it is. Null while there is none. */
  let option: string | null = null
  const take = (all: readonly AgentChoice[], now: JsonValue | undefined) => {
    if (all.length > 0) offered = all
    if (isText(now)) current = now
  }
  const read = (said: JsonObject) => {
    const { [field]: given, configOptions, sessionUpdate } = said
    const found = objectsIn(configOptions).find(({ category, id }) => category === categories[kind] || id === kind)
    if (found && isText(found.id)) {
      option = found.id
      take(choicesIn(found.options, idKey), found.currentValue)
    } else if (option === null && isJsonObject(given)) take(choicesIn(given[list], idKey), given[currentKey])
    if (update !== null && sessionUpdate === update) take([], said[currentKey])
  }
  return {
    choices: () => ({ current, offered }),
    read,
    async choose(agent, sessionId, id) {
      const isOption = option !== null
      const asked = isOption ? { configId: option, value: id } : { [idKey]: id }
      const answer: unknown = await agent.request<unknown, JsonObject>(
        isOption ? methods.agent.session.setConfigOption : method,
        { sessionId, ...asked },
      )
      current = id
      if (isJsonObject(answer as JsonValue)) read(answer as JsonObject)
    },
  }
}

/** Options may stand in groups. */
function choicesIn(given: JsonValue | undefined, idKey: string): readonly AgentChoice[] {
  return objectsIn(given).flatMap(({ id, [idKey]: own, value, name, options }): readonly AgentChoice[] => {
    const key = [id, own, value].find(isText)
    if (key === undefined) return choicesIn(options, idKey)
    return [{ id: key, name: isText(name) ? name : key }]
  })
}
