import { aboutStrings } from './about.ts'
import { attemptStrings } from './agents/attempts.ts'
import { batchStrings } from './agents/batches.ts'
import { boardStrings } from './agents/board.ts'
import { processStrings } from './agents/processes.ts'
import { answerStrings } from './answers.ts'
import { attachmentStrings } from './attachments.ts'
import { branchListStrings } from './branch-list.ts'
import { branchStrings, reviewStrings } from './branches.ts'
import { changeStrings, driftStrings } from './changes.ts'
import { agentStrings, chatStrings, contextStrings } from './chat.ts'
import { checkStrings } from './checks.ts'
import { commonStrings, refusalStrings } from './common.ts'
import { approvalStrings, effectStrings } from './effects.ts'
import { fileReviewStrings } from './file-review.ts'
import { memoryStrings } from './memory.ts'
import { doctorStrings, notificationStrings, settingsFileStrings, settingsStrings, storageStrings } from './settings.ts'
import { setupStrings } from './setup.ts'
import { fileStrings, homeStrings, keyStrings, projectFolderStrings, shellStrings, terminalStrings } from './shell.ts'
import { historyStrings, rewindStrings, threadStrings } from './threads.ts'
import { timelineStrings } from './timeline.ts'
import { viewerStrings } from './viewers.ts'

/** Every word of the window, in English. Names of controls are an interface: tests and screen readers rely on them. */
export const strings = {
  about: aboutStrings,
  common: commonStrings,
  shell: shellStrings,
  home: homeStrings,
  chat: chatStrings,
  approvals: approvalStrings,
  agents: agentStrings,
  answers: answerStrings,
  attachments: attachmentStrings,
  attempts: attemptStrings,
  batches: batchStrings,
  board: boardStrings,
  branches: branchStrings,
  branchList: branchListStrings,
  changes: changeStrings,
  checks: checkStrings,
  doctor: doctorStrings,
  drift: driftStrings,
  context: contextStrings,
  effects: effectStrings,
  fileReview: fileReviewStrings,
  files: fileStrings,
  projectFolders: projectFolderStrings,
  history: historyStrings,
  keys: keyStrings,
  memory: memoryStrings,
  notifications: notificationStrings,
  processes: processStrings,
  refusals: refusalStrings,
  review: reviewStrings,
  rewind: rewindStrings,
  settings: settingsStrings,
  settingsFile: settingsFileStrings,
  setup: setupStrings,
  storage: storageStrings,
  threads: threadStrings,
  timeline: timelineStrings,
  terminal: terminalStrings,
  viewers: viewerStrings,
} as const
