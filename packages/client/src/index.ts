export { change } from './change.ts'
export {
  type AnyClient,
  type AnyOptions,
  type Client,
  type ClientOptions,
  type PlatformClient,
  platformClient,
  type WorkspaceClient,
  workspaceClient,
} from './client.ts'
export { ApiError } from './error.ts'
export { type Event, type EventOptions, type EventPage, eventPages, events, feedEnd } from './events.ts'
export type { components as Platform, paths as PlatformPaths } from './generated/platform.ts'
export type { components as Workspace, paths as WorkspacePaths } from './generated/workspace.ts'
export { pages, rows } from './pages.ts'
export { progress } from './progress.ts'
export {
  type Notification,
  type Occurred,
  type PusherClass,
  type PusherLike,
  type Realtime,
  type RealtimeHandlers,
  realtime,
} from './realtime.ts'
export { type Credentials, type Session, signIn, signOut } from './session.ts'
export type { BodyOf, CallOptions, DataOf, MetaOf, OperationOf, OptionsOf, ParseAs, Reply, ReplyOf, RowOf } from './types.ts'
