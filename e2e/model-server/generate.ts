import type { Answer, ApiBlock, ApiRequest } from './scenario.ts'

interface Part {
  readonly text?: string
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: unknown }
  readonly functionResponse?: { readonly id?: string; readonly name: string; readonly response: unknown }
}

/** A request of the Gemini API to generate content, with only the parts that scenarios read. */
export interface GenerateRequest {
  readonly contents: readonly { readonly role?: string; readonly parts: readonly Part[] }[]
  readonly systemInstruction?: unknown
  readonly tools?: readonly {
    readonly functionDeclarations?: readonly { readonly name: string; readonly parametersJsonSchema?: unknown }[]
  }[]
}

/** The request as scenarios know it, whatever the protocol was. `url`: the path, which names the model. */
export function fromGenerate({ contents, systemInstruction, tools = [] }: GenerateRequest, url: string): ApiRequest {
  return {
    model: /models\/([^:]+)/.exec(url)?.[1] ?? '',
    system: systemInstruction,
    messages: contents.map(({ role, parts }) => ({
      role: role === 'model' ? 'assistant' : 'user',
      content: parts.map(blockOf),
    })),
    tools: tools.flatMap(({ functionDeclarations = [] }) =>
      functionDeclarations.map(({ name, parametersJsonSchema }) => ({ name, input_schema: parametersJsonSchema })),
    ),
  }
}

function blockOf({ text, functionCall, functionResponse }: Part): ApiBlock {
  if (functionCall) {
    const { id, name, args } = functionCall
    return { type: 'tool_use', id: id ?? name, name, input: args }
  }
  if (functionResponse) {
    const { id, name, response } = functionResponse
    return { type: 'tool_result', tool_use_id: id ?? name, content: JSON.stringify(response) }
  }
  return text === undefined ? { type: 'image' } : { type: 'text', text }
}

/** Turns an answer into the one response of the Gemini API that holds it whole. */
export function generated(answer: Answer, id: string): object {
  const calls = (answer.calls ?? []).map((call, index) => ({
    functionCall: { id: call.id ?? `call_${id}_${index}`, name: call.name, args: call.input },
  }))
  const parts = [...(answer.text === undefined ? [] : [{ text: answer.text }]), ...calls]
  const [input, output] = [answer.usage?.input_tokens ?? 100, answer.usage?.output_tokens ?? 20]
  return {
    responseId: id,
    candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output },
  }
}
