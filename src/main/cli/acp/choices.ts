import type { SessionConfigOption, SessionModeState, SessionUpdate } from '@agentclientprotocol/sdk'
import { RequestError } from '@agentclientprotocol/sdk'
import type { Host } from '#host/wiring/create-host.ts'
import { type Effort, efforts } from '#shared/model/models/model-facts.ts'
import { type ApprovalMode, approvalModes } from '#shared/model/thread.ts'

/** What a person chooses for a session. */
export interface Choices {
  readonly mode: ApprovalMode
  readonly model: string
  /** Null for as the settings say. */
  readonly effort: Effort | null
}

const modeWords: Readonly<Record<ApprovalMode, readonly [name: string, about: string]>> = {
  plan: ['Plan', 'Changes nothing. Commands run in the sandbox, and what they change is dropped.'],
  ask: ['Ask', 'Asks before every change and every command.'],
  'auto-edit': [
    'Auto-edit',
    'Edits freely on its branch. Commands run in the sandbox, and you keep or drop what they did.',
  ],
  auto: ['Auto', 'Keeps what commands do in the sandbox. Asks only for what leaves it.'],
}

/** The modes of approval. Nothing reaches the folder in any of them. */
export function modesOf({ mode }: Choices): SessionModeState {
  return {
    currentModeId: mode,
    availableModes: approvalModes.map((id) => ({ id, name: modeWords[id][0], description: modeWords[id][1] })),
  }
}

const usualEffort = 'usual'

/** Everything that can be chosen. */
export function optionsOf(
  { provider }: Pick<Host, 'provider'>,
  { mode, model, effort }: Choices,
): SessionConfigOption[] {
  const known = provider.info().models
  const models = known.some(({ id }) => id === model) ? known : [{ id: model, name: model }, ...known]
  return [
    {
      ...{ type: 'select', id: 'mode', name: 'Mode', category: 'mode', currentValue: mode },
      description: 'How often agents ask. The folder is written only by /apply.',
      options: approvalModes.map((value) => ({ value, name: modeWords[value][0], description: modeWords[value][1] })),
    },
    {
      ...{ type: 'select', id: 'model', name: 'Model', category: 'model', currentValue: model },
      options: models.map(({ id, name, ...rest }) => ({
        ...{ value: id, name },
        ...('provider' in rest && rest.provider !== undefined && { description: rest.provider }),
      })),
    },
    {
      ...{
        type: 'select',
        id: 'effort',
        name: 'Effort',
        category: 'thought_level',
        currentValue: effort ?? usualEffort,
      },
      description: 'How long the model thinks.',
      options: [
        { value: usualEffort, name: 'As the settings say' },
        ...efforts.map((value) => ({ value, name: value })),
      ],
    },
  ]
}

/** A choice as an editor names it. Throws a `RequestError` that says what there is. */
export function chosen(host: Pick<Host, 'provider'>, configId: string, value: unknown): Partial<Choices> {
  switch (configId) {
    case 'mode':
      return { mode: oneOf(configId, approvalModes, value) }
    case 'effort':
      return { effort: value === usualEffort ? null : oneOf(configId, efforts, value) }
    case 'model': {
      const known = host.provider.info().models.map(({ id }) => id)
      return { model: oneOf(configId, known, value) }
    }
    default:
      throw RequestError.invalidParams({ configId }, `There is no option "${configId}". Options: mode, model, effort.`)
  }
}

function oneOf<Value extends string>(configId: string, values: readonly Value[], value: unknown): Value {
  const found = values.find((one) => one === value)
  if (found === undefined)
    throw RequestError.invalidParams(
      { configId, value },
      `"${value}" is no ${configId}. Possible: ${values.join(', ')}.`,
    )
  return found
}

/** The choices, after something else changed them. */
export function choiceUpdates(host: Pick<Host, 'provider'>, choices: Choices): readonly SessionUpdate[] {
  return [
    { sessionUpdate: 'current_mode_update', currentModeId: choices.mode },
    { sessionUpdate: 'config_option_update', configOptions: optionsOf(host, choices) },
  ]
}
