export { dashboards, openDashboards, operatorOf, SESSION_SECONDS, sessionBehind } from './access.ts'
export { charts, type Span, spans } from './charts.ts'
export { DeadLetters, discardLetters, queues, retryLetters } from './queues.ts'
