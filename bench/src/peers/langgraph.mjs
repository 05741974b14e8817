// Runs a thread of LangGraph with its SQLite saver, where each step adds one message. Answers with the bytes on disk.
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { AIMessage } from '@langchain/core/messages'
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import { serve } from './serve.mjs'

// The same build of SQLite as Coppice, so that only its use differs.
const Database = createRequire(new URL('../../../package.json', import.meta.url))('better-sqlite3')

serve(async ({ file, steps, text }) => {
  const saver = new SqliteSaver(new Database(file))
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('agent', async ({ messages }) => ({ messages: [new AIMessage(`${messages.length} ${text}`)] }))
    .addEdge('__start__', 'agent')
    .addEdge('agent', '__end__')
    .compile({ checkpointer: saver })
  const config = { configurable: { thread_id: 'thread' } }
  for (let step = 0; step < steps; step += 1) await graph.invoke({ messages: [] }, config)
  saver.db.pragma('wal_checkpoint(TRUNCATE)')
  return statSync(file).size
})
