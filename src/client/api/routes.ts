import type { JsonObject } from '../../core/json.ts';
import type {
  ApprovalView,
  AuditAnswer,
  AuditVerifyAnswer,
  DecideRequest,
  PutRuleRequest,
  RuleView,
  WhyAnswer,
} from './governance.ts';
import type {
  AddAgentRequest,
  AgentView,
  CommandAnswer,
  CommandRequest,
  CreateTokenAnswer,
  CreateTokenRequest,
  PatchTokenRequest,
  PutSecretAnswer,
  PutSecretRequest,
  RemoveNamedAnswer,
  SecretsAnswer,
  TicketAnswer,
  TokenView,
} from './operator.ts';
import type {
  AddServerAnswer,
  AddServerRequest,
  ExplainAnswer,
  ExplainRequest,
  ImportAnswer,
  ImportRequest,
  LoadAnswer,
  LoadRequest,
  LogsAnswer,
  PatchServerAnswer,
  PatchServerRequest,
  RefRequest,
  RefreshToolsAnswer,
  RemoveServerAnswer,
  ServerView,
  StatusAnswer,
  UnloadAnswer,
} from './servers.ts';
import type { Done, Health, ServiceView, SignInLink } from './service.ts';
import type { InvokeAnswer, InvokePending, InvokeRequest, ToolsAnswer, ToolsCatalogAnswer } from './tools.ts';

/** What of a server's path stands for `:ref`. */
interface ByRef {
  readonly params: { readonly ref: string };
}

interface ByName {
  readonly params: { readonly name: string };
}

interface ById {
  readonly params: { readonly id: string };
}

/** Every JSON route that clients use: what is asked with, and the body of its 2xx answer. */
export interface Routes {
  'GET /api/health': { readonly answer: Health };
  'GET /api/service': { readonly answer: ServiceView };
  'POST /api/service/stop': { readonly answer: Done };
  'POST /api/sign-in/links': { readonly answer: SignInLink };

  'GET /api/mcp-servers': { readonly answer: readonly ServerView[] };
  'POST /api/mcp-servers': { readonly body: AddServerRequest; readonly answer: AddServerAnswer };
  'PATCH /api/mcp-servers/:ref': ByRef & { readonly body: PatchServerRequest; readonly answer: PatchServerAnswer };
  'DELETE /api/mcp-servers/:ref': ByRef & { readonly answer: RemoveServerAnswer };
  'POST /api/mcp-servers/:ref/refresh-tools': ByRef & { readonly answer: RefreshToolsAnswer };
  'POST /api/mcp-servers/import-json': { readonly body: ImportRequest; readonly answer: ImportAnswer };

  'GET /api/mcp/status': { readonly answer: StatusAnswer };
  'POST /api/mcp/load': { readonly body: LoadRequest; readonly answer: LoadAnswer };
  'POST /api/mcp/reload': { readonly body: RefRequest; readonly answer: LoadAnswer };
  'POST /api/mcp/restart': { readonly body: RefRequest; readonly answer: LoadAnswer };
  'POST /api/mcp/unload': { readonly body: RefRequest; readonly answer: UnloadAnswer };
  'POST /api/mcp/explain': { readonly body: ExplainRequest; readonly answer: ExplainAnswer };
  'GET /api/servers/:ref/logs': ByRef & {
    readonly query?: { readonly tail?: number; readonly after?: number };
    readonly answer: LogsAnswer;
  };
  'POST /api/commands': { readonly body: CommandRequest; readonly answer: CommandAnswer };

  'GET /api/tools': {
    readonly query?: { readonly server?: string; readonly tool?: string };
    readonly answer: ToolsAnswer;
  };
  'GET /api/tools/catalog': { readonly answer: ToolsCatalogAnswer };
  'POST /api/tools/invoke': { readonly body: InvokeRequest; readonly answer: InvokeAnswer | InvokePending };

  'GET /api/approvals': {
    readonly query?: { readonly state?: 'open' | 'all'; readonly limit?: number };
    readonly answer: readonly ApprovalView[];
  };
  'GET /api/approvals/:id': ById & { readonly answer: ApprovalView };
  'POST /api/approvals/:id': ById & { readonly body: DecideRequest; readonly answer: ApprovalView };
  'GET /api/rules': { readonly answer: readonly RuleView[] };
  'PUT /api/rules': { readonly body: PutRuleRequest; readonly answer: RuleView };
  'DELETE /api/rules/:id': ById & { readonly answer: Done };
  'GET /api/rules/why': {
    readonly query: { readonly tool: string; readonly args?: JsonObject; readonly caller?: string };
    readonly answer: WhyAnswer;
  };
  'GET /api/audit': {
    readonly query?: {
      readonly handle?: string;
      readonly decision?: string;
      readonly since?: number;
      readonly after?: number;
      readonly before?: number;
      readonly limit?: number;
      readonly order?: 'newest-first' | 'oldest-first';
    };
    readonly answer: AuditAnswer;
  };
  'GET /api/audit/verify': { readonly answer: AuditVerifyAnswer };

  'GET /api/agents': { readonly answer: readonly AgentView[] };
  'POST /api/agents': { readonly body: AddAgentRequest; readonly answer: AgentView };
  'GET /api/tokens': { readonly answer: readonly TokenView[] };
  'POST /api/tokens': { readonly body: CreateTokenRequest; readonly answer: CreateTokenAnswer };
  'PATCH /api/tokens/:name': ByName & { readonly body: PatchTokenRequest; readonly answer: TokenView };
  'POST /api/tokens/:name/tickets': ByName & { readonly answer: TicketAnswer };
  'DELETE /api/tokens/:name': ByName & { readonly answer: RemoveNamedAnswer };
  'GET /api/secrets': { readonly answer: SecretsAnswer };
  'PUT /api/secrets/:name': ByName & { readonly body: PutSecretRequest; readonly answer: PutSecretAnswer };
  'DELETE /api/secrets/:name': ByName & { readonly answer: RemoveNamedAnswer };
}

/** A method and a path, e.g. `GET /api/mcp/status`. */
export type RouteName = keyof Routes;
