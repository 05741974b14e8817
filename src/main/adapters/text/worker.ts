import { parentPort } from 'node:worker_threads'
import { compareTexts } from './compare-texts.ts'
import { mergeTexts } from './merge-texts.ts'
import type { TextTask } from './text-task.ts'

/** Compares and merges one text after the other. The caller ends the thread when that takes too long. */
parentPort?.on('message', (task: TextTask) => parentPort?.postMessage(work(task)))
parentPort?.postMessage('ready')

function work(task: TextTask): unknown {
  switch (task.kind) {
    case 'merge':
      return mergeTexts(task.base, task.ours, task.theirs)
    case 'compare':
      return compareTexts(task.before, task.after, task.context)
  }
}
