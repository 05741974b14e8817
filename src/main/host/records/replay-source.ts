import { createModelGate } from '#core/agent/model/model-gate.ts'
import { readRecord } from '#core/records/record-format.ts'
import { createRecordedModel, type ReplaySource } from '#core/records/recorded-model.ts'
import { settingsForReplay } from '#core/records/recorded-settings.ts'
import { failure, type Result, success } from '#shared/base/result.ts'
import type { Provider } from '../models/provider.ts'
import type { SettingsSource } from '../settings/settings-source.ts'

export type { ReplaySource }

/** The record in the text of a file. The error is a sentence for a person. */
export function readReplay(text: string): Result<ReplaySource, string> {
  const read = readRecord(text)
  if (read.ok && !read.value.lines.some(({ kind }) => kind === 'reply' || kind === 'error'))
    return failure('It holds no reply of a model, so there is nothing to run again. Record the task anew.')
  return read.ok ? success({ record: read.value, model: createRecordedModel(read.value) }) : read
}

/** Every model of the record, without a key and without a network. */
export function providerOfReplay(provider: Provider, { record, model }: ReplaySource): Provider {
  // Agents may wait for each other.
  const gate = createModelGate(Number.POSITIVE_INFINITY)
  return {
    ...provider,
    findProblem: () => null,
    gateFor: () => gate,
    modelFor: () => model.client,
    resolveModel: (name) => success(name),
    newestOf: () => null,
    contextWindow: async () => record.header.contextWindow,
  }
}

/** The person's settings under the limits of the record. They allow nothing that they did not allow before. */
export function settingsOfReplay(settings: SettingsSource, { record }: ReplaySource): SettingsSource {
  return {
    ...settings,
    read() {
      const own = settings.read()
      const { commands } = record.header.settings
      return {
        ...own,
        agents: settingsForReplay(own.agents, record.header.settings),
        commandApprovals: { everywhere: commands ?? undefined, byFolder: {} },
      }
    },
  }
}
