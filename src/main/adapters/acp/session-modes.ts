import { type ClientContext, methods } from '@agentclientprotocol/sdk'
import type { AgentMode, AgentSession } from '#core/ports/programs/external-agent.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#shared/base/json.ts'
import { isText, objectsIn } from './json-parts.ts'

/** The modes of a session. Agents offer them as modes, or as one of their options. */
export interface SessionModes extends Pick<AgentSession, 'modes'> {
  /** Reads what the agent says of its modes: in its answer to the beginning of a session, or in an update. */
  read(said: JsonObject): void
  /** Rejects when the agent refuses. */
  set(agent: ClientContext, sessionId: string, mode: string): Promise<void>
}

export function createSessionModes(): SessionModes {
  let current = ''
  let offered: readonly AgentMode[] = []
  /** The option that is the mode. Null for an agent that has modes. */
  let option: string | null = null
  const readOptions = (options: JsonValue | undefined) => {
    const found = objectsIn(options).find(({ category, id }) => category === 'mode' || id === 'mode')
    if (!found || !isText(found.id)) return
    option = found.id
    if (isText(found.currentValue)) current = found.currentValue
    const known = choicesIn(found.options)
    if (known.length > 0) offered = known
  }
  return {
    modes: () => ({ current, offered }),
    read(said) {
      const { modes, configOptions, sessionUpdate, currentModeId } = said
      if (isJsonObject(modes)) {
        offered = choicesIn(modes.availableModes)
        if (isText(modes.currentModeId)) current = modes.currentModeId
      } else readOptions(configOptions)
      if (sessionUpdate === 'current_mode_update' && isText(currentModeId)) current = currentModeId
    },
    async set(agent, sessionId, mode) {
      if (option === null) await agent.request(methods.agent.session.setMode, { sessionId, modeId: mode })
      else
        await agent.request(methods.agent.session.setConfigOption, {
          ...{ sessionId, configId: option, value: mode },
        })
      current = mode
    },
  }
}

/** Options may stand in groups. */
function choicesIn(given: JsonValue | undefined): readonly AgentMode[] {
  return objectsIn(given).flatMap(({ id, value, name, options }): readonly AgentMode[] => {
    const key = isText(id) ? id : value
    if (!isText(key)) return choicesIn(options)
    return [{ id: key, name: isText(name) ? name : key }]
  })
}
