package dev.tollgate.core.exchange;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.InferenceRequest;
import dev.tollgate.core.api.account.CreditsResponse;
import dev.tollgate.core.api.account.KeyResponse;
import dev.tollgate.core.api.account.ModelList;
import dev.tollgate.core.api.image.ImageUrls;
import dev.tollgate.core.api.responses.ResponsesRequest;
import dev.tollgate.core.exchange.RequestReader.ReadResult;
import dev.tollgate.core.exchange.frame.AdmissionPorts;
import dev.tollgate.core.exchange.frame.Body;
import dev.tollgate.core.exchange.frame.BodyPorts;
import dev.tollgate.core.exchange.frame.BodyWork;
import dev.tollgate.core.exchange.frame.ClientlessRequests;
import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.DrainQuota;
import dev.tollgate.core.exchange.frame.ExchangeContext;
import dev.tollgate.core.exchange.frame.ExchangeOptions;
import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.FaultMapper;
import dev.tollgate.core.exchange.frame.MediaPorts;
import dev.tollgate.core.exchange.frame.Outputs;
import dev.tollgate.core.exchange.frame.ProviderPorts;
import dev.tollgate.core.exchange.frame.RecordSinks;
import dev.tollgate.core.exchange.frame.ReplyFields;
import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestRecord.Served;
import dev.tollgate.core.exchange.frame.RequestService;
import dev.tollgate.core.exchange.frame.RequestTask;
import dev.tollgate.core.exchange.frame.ShortReply;
import dev.tollgate.core.exchange.media.JobQuery;
import dev.tollgate.core.exchange.media.JobSubmission;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.idempotency.IdempotencyKey;
import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.ledger.AccountBalances;
import dev.tollgate.core.limit.Acquire;
import dev.tollgate.core.limit.AcquireResult;
import dev.tollgate.core.routing.NoProviderRefusal;
import dev.tollgate.core.routing.Router;
import dev.tollgate.core.tenant.ApiKey;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Request service that parses each authenticated request and starts the task that answers it. That
 * is an immediate reply, a query of the account, a job task, or an {@link Exchange} with a
 * provider.
 */
public final class Exchanges implements RequestService {
  private static final Logger LOG = LoggerFactory.getLogger(Exchanges.class);

  private static final Fault NO_ROOM =
      Fault.tryLater("Too many request bodies are being received.");

  private final ExchangeContext context;
  private final Router router;

  public Exchanges(
      ProviderPorts providers,
      AdmissionPorts admission,
      AccountBalances balances,
      MediaPorts media,
      RecordSinks sinks,
      BodyPorts bodies,
      ExchangeOptions options) {
    var clientless = new ClientlessRequests();
    this.context =
        new ExchangeContext(
            providers, admission, balances, media, sinks, clientless, bodies, options);
    this.router = new Router(providers.fleet());
  }

  @Override
  public Running start(ExchangeRequest request, Downstream downstream) {
    RequestLoop.check(downstream.loop());
    RequestTask task = decide(request, downstream);
    task.begin();
    return task;
  }

  /** Returns the quota of drained streams, for its figures. */
  public DrainQuota drains() {
    return context.clientless().drains();
  }

  @Override
  public CompletionStage<Void> detachedRequests() {
    return context.clientless().detached().whenNone();
  }

  /** Decides without side effects; an exception is logged and becomes a refusal. */
  private RequestTask decide(ExchangeRequest request, Downstream downstream) {
    try {
      Fault keyFault =
          checkIdempotencyKey(request.endpoint().idempotency(), request.idempotencyKey());
      return keyFault == null
          ? decideByEndpoint(request, downstream)
          : refused(request, downstream, keyFault);
    } catch (RuntimeException unexpected) {
      LOG.error("request {} failed", request.id(), unexpected);
      return new ImmediateReply(
          request,
          reply(request, downstream),
          to -> to.refuse(FaultMapper.UNEXPECTED_FAILURE, RequestOutcome.INTERNAL_ERROR));
    }
  }

  /**
   * Returns the fault of a request's idempotency key, malformed or missing; null if it is valid.
   */
  static @Nullable Fault checkIdempotencyKey(
      Endpoint.IdempotencyPolicy wanted, @Nullable String key) {
    if (key == null) {
      return wanted == Endpoint.IdempotencyPolicy.REQUIRED
          ? Fault.of(
              ErrorCode.IDEMPOTENCY_KEY_REQUIRED,
              "The request needs an " + IdempotencyKey.FIELD + " header.")
          : null;
    }
    return IdempotencyKey.of(key).isPresent()
        ? null
        : Fault.invalid(
            IdempotencyKey.FIELD,
            "must have 1 to "
                + IdempotencyKey.LENGTH_MAX
                + " characters, and no control character");
  }

  private RequestTask decideByEndpoint(ExchangeRequest request, Downstream downstream) {
    return switch (request.endpoint()) {
      case CHAT_COMPLETIONS,
          COMPLETIONS,
          RESPONSES,
          EMBEDDINGS,
          SPEECH,
          TRANSCRIPTIONS,
          IMAGE_GENERATIONS,
          IMAGE_EDITS ->
          inference(request, downstream);
      case VIDEO_GENERATIONS -> jobSubmission(request, downstream, JobKind.VIDEO);
      case MUSIC_GENERATIONS -> jobSubmission(request, downstream, JobKind.MUSIC);
      case VIDEO_JOB -> jobQuery(request, downstream, JobKind.VIDEO, JobQuery.Action.SHOW);
      case MUSIC_JOB -> jobQuery(request, downstream, JobKind.MUSIC, JobQuery.Action.SHOW);
      case JOB -> jobQuery(request, downstream, null, JobQuery.Action.SHOW);
      case VIDEO_JOB_DELETION ->
          jobQuery(request, downstream, JobKind.VIDEO, JobQuery.Action.DELETE);
      case MUSIC_JOB_DELETION ->
          jobQuery(request, downstream, JobKind.MUSIC, JobQuery.Action.DELETE);
      case MODELS ->
          listed(
              request,
              downstream,
              ModelList.list(request.catalog(), request.key(), request.argument()));
      case MODEL ->
          listed(
              request,
              downstream,
              ModelList.one(request.catalog(), request.key(), request.argument()));
      case KEY -> keyQuery(request, downstream);
      case ARTIFACT -> throw new IllegalStateException("a download needs no key");
      case CREDITS ->
          accountQuery(
              request,
              downstream,
              (balance, to) -> to.accept(CreditsResponse.of(request.key(), balance)));
    };
  }

  private RequestTask keyQuery(ExchangeRequest request, Downstream downstream) {
    ApiKey key = request.key();
    Acquire probe = context.admission().limits().rules().get().probe(request.id(), key);
    return accountQuery(
        request,
        downstream,
        (balance, to) ->
            probeLimits(
                probe,
                downstream,
                result -> to.accept(KeyResponse.of(key, balance, probe, result))));
  }

  private RequestTask jobSubmission(ExchangeRequest request, Downstream downstream, JobKind kind) {
    return new JobSubmission(context, router, request, downstream, kind);
  }

  private RequestTask jobQuery(
      ExchangeRequest request,
      Downstream downstream,
      @Nullable JobKind kind,
      JobQuery.Action requested) {
    return new JobQuery(context, request, downstream, kind, requested);
  }

  private ImageUrls urls() {
    return switch (context.media().outputs()) {
      case Outputs.Kept _ -> ImageUrls.GATEWAY;
      case Outputs.Passed _ -> ImageUrls.PROVIDER;
    };
  }

  private void probeLimits(Acquire probe, Downstream downstream, Consumer<AcquireResult> to) {
    if (probe.buckets().isEmpty()) {
      to.accept(new AcquireResult.AllAcquired(List.of()));
    } else {
      context.admission().limits().counters().acquire(probe, downstream.loop(), to);
    }
  }

  private RequestTask accountQuery(
      ExchangeRequest request, Downstream downstream, AccountQuery.AnswerWriter writer) {
    return new AccountQuery(context, request, downstream, writer);
  }

  private RequestTask listed(
      ExchangeRequest request, Downstream downstream, ModelList.QueryResult answer) {
    return switch (answer) {
      case ModelList.QueryResult.Refused refused -> refused(request, downstream, refused.fault());
      case ModelList.QueryResult.Found found ->
          new ImmediateReply(request, reply(request, downstream), to -> to.answer(found.json()));
    };
  }

  // Inference

  /** Reads a body, a large one on another thread, and plans its request. */
  private RequestTask inference(ExchangeRequest request, Downstream downstream) {
    if (!hasRoom(request)) {
      return new ImmediateReply(
          request, reply(request, downstream), to -> to.refuse(NO_ROOM, RequestOutcome.SHED));
    }
    var events = context.options().responses().setFor(request.caller().eventsNeeded());
    var reader = new RequestReader(request, urls(), events);
    return BodyWork.isLarge(request.body().length())
        ? new LargeRequest(
            context.bodies(),
            downstream,
            reader,
            reply(request, downstream),
            result -> route(request, downstream, result))
        : route(request, downstream, reader.read());
  }

  /** True if the in-flight budget has room for the arrays that reading the body makes. */
  private static boolean hasRoom(ExchangeRequest request) {
    Body body = request.body();
    return request.endpoint() != Endpoint.RESPONSES
        || body.tryResize(ResponsesRequest.bytesWhileMapped(body.length()));
  }

  /** Plans a request for a model: only an exchange sends anything to a provider. */
  private RequestTask route(ExchangeRequest request, Downstream downstream, ReadResult result) {
    return switch (result) {
      case ReadResult.Refused refused -> refused(request, downstream, refused.fault());
      case ReadResult.Valid valid -> plan(request, downstream, valid);
    };
  }

  private RequestTask plan(ExchangeRequest request, Downstream downstream, ReadResult.Valid valid) {
    InferenceRequest inference = valid.inference();
    inference.arraysHeld().ifPresent(request.body()::releaseArray);
    var routingRequest =
        new Router.RoutingRequest(
            request.key().org().id(),
            valid.models(),
            inference.routing(),
            valid.needs(),
            valid.capabilities()::fits,
            valid.affinity(),
            inference.isStream());
    long now = downstream.loop().ticker().nanoTime();
    return switch (router.route(
        routingRequest, request.catalog().routing(), now, ThreadLocalRandom.current())) {
      case Router.Routed.Refused refused ->
          valid
              .capabilities()
              .fault(refused.refusal())
              .map(unservable -> refused(request, downstream, unservable))
              .orElseGet(() -> unserved(request, downstream, refused.refusal(), valid));
      case Router.Routed.Planned planned -> {
        InferenceCall call = inference.call(request.id(), valid.models().getFirst());
        yield new Exchange(context, request, downstream, call, planned.plan());
      }
    };
  }

  /**
   * Refuses a request that no provider can serve, unless it has a stored reply: idempotency comes
   * before health (docs/decisions/requests.md#order-of-refusals).
   */
  private RequestTask unserved(
      ExchangeRequest request,
      Downstream downstream,
      NoProviderRefusal refusal,
      ReadResult.Valid valid) {
    ModelId asked = valid.models().getFirst().id();
    Served served = Served.none(asked, valid.inference().isStream(), refusal.reason());
    if (request.idempotencyKey() == null) {
      return new ImmediateReply(
          request,
          reply(request, downstream),
          to ->
              to.refuse(
                  refusal.fault(),
                  FaultMapper.toOutcome(refusal),
                  ReplyFields.of(refusal),
                  served));
    }
    return new UnroutableRequest(context, request, downstream, refusal, served);
  }

  private RequestTask refused(ExchangeRequest request, Downstream downstream, Fault fault) {
    return new ImmediateReply(
        request, reply(request, downstream), to -> to.refuse(fault, RequestOutcome.REJECTED));
  }

  private ShortReply reply(ExchangeRequest request, Downstream downstream) {
    return new ShortReply(context.sinks().observer(), request, downstream);
  }
}
