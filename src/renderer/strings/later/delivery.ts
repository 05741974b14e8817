import type { CommitUnit, DeliveryFile } from '#shared/model/delivery.ts'
import { formatMoney } from '#shared/text/format.ts'
import { plural } from '#shared/text/plural.ts'

const units: Readonly<Record<CommitUnit, string>> = {
  all: 'All changes',
  todo: 'Each todo',
  agent: 'Each agent',
  branch: 'Each merged branch',
  message: 'Each message',
}

const states: Readonly<Record<DeliveryFile['state'], string>> = {
  ready: 'Ready',
  joined: 'Joined',
  conflict: 'Conflict',
  left: 'Not delivered',
}

/** The way from the workspace to a branch of git. */
export const deliveryStrings = {
  title: 'Deliver',
  description: 'Commits on a branch of your repository. What is checked out, staged and in your folder stays as it is.',
  branch: 'Branch',
  branchHint: 'A new name makes a new branch. One that exists gets the commits on top.',
  per: 'One commit for',
  units,
  uncommitted: 'Include what you have not committed',
  uncommittedHint: (count: number) =>
    `${plural(count, 'file stands', 'files stand')} on changes in your folder that are in no commit.`,
  planning: 'Comparing with the repository…',
  newBranch: (branch: string, base: string) => `Makes ${branch} at ${base}`,
  onBranch: (branch: string, tip: string) => `Goes on top of ${branch} (${tip})`,
  inRepository: (folder: string) => `In ${folder}`,
  as: (author: string, signed: boolean) => `as ${author}${signed ? ', signed' : ''}`,
  commits: 'Commits',
  message: (place: number) => `Message of commit ${place}`,
  propose: 'Propose messages',
  proposeHint: 'A model reads the changes and writes them. It costs a request.',
  proposing: 'A model reads the changes…',
  stopProposing: 'Stop proposing',
  proposed: (model: string, cost: number | null) =>
    `Proposed by ${model}${cost === null ? '' : ` (${formatMoney(cost)})`}. Edit them as you like.`,
  undoProposal: 'Undo proposal',
  files: (count: number) => plural(count, 'file', 'files'),
  fileList: 'Files to deliver',
  states,
  conflicts: 'Some files have two versions. Choose one of each, then deliver.',
  ours: 'Thread’s version',
  oursLabel: (path: string) => `Take the thread’s version of ${path}`,
  theirs: 'Branch’s version',
  theirsLabel: (path: string) => `Keep the branch’s version of ${path}`,
  leftOut: (count: number) => `${plural(count, 'path', 'paths')} left out`,
  nothing: 'The branch has everything already.',
  deliver: (commits: number) => `Deliver ${plural(commits, 'commit', 'commits')}`,
  ofAgents: 'Commits that agents made',
  ofAgentsHint: 'They can be delivered as they are, each with its history.',
  deliverCommit: 'Deliver as it is',
  deliverCommitLabel: (subject: string) => `Deliver “${subject}” as it is`,
  made: (branch: string, commits: number) => `${branch} has ${plural(commits, 'new commit', 'new commits')}`,
  switchTo: 'To work on it:',
  push: 'Push',
  pullRequest: 'Open pull request',
  requestTitle: 'Title of the pull request',
  requestBody: 'Description',
  draft: 'Draft',
  pushing: 'Pushing…',
  stop: 'Stop the push',
  stopped: 'The push was stopped. What the server has got by then, it keeps.',
  pushed: (remote: string) => `Pushed to ${remote}`,
  output: 'What git said',
  undo: 'Undo delivery',
  undone: 'Delivery undone: the branch is as it was',
  last: (branch: string) => `Delivered to ${branch}`,
} as const
