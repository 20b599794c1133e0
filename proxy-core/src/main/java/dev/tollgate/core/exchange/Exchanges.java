package dev.tollgate.core.exchange;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.claim.Idempotency;
import dev.tollgate.core.claim.IdempotencyKey;
import dev.tollgate.core.endpoint.ChatRequest;
import dev.tollgate.core.endpoint.CompletionRequest;
import dev.tollgate.core.endpoint.CreditsAnswer;
import dev.tollgate.core.endpoint.EmbeddingRequest;
import dev.tollgate.core.endpoint.Endpoint;
import dev.tollgate.core.endpoint.ImageRequest;
import dev.tollgate.core.endpoint.ImageUrls;
import dev.tollgate.core.endpoint.InferenceCall;
import dev.tollgate.core.endpoint.InferenceRequest;
import dev.tollgate.core.endpoint.KeyAnswer;
import dev.tollgate.core.endpoint.ModelList;
import dev.tollgate.core.endpoint.Parsed;
import dev.tollgate.core.endpoint.ResponsesRequest;
import dev.tollgate.core.endpoint.SpeechRequest;
import dev.tollgate.core.endpoint.TranscriptionRequest;
import dev.tollgate.core.exchange.RequestRecord.Served;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.fetch.Images;
import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.ledger.Ledger;
import dev.tollgate.core.ledger.Standings;
import dev.tollgate.core.limit.Draw;
import dev.tollgate.core.limit.Drawn;
import dev.tollgate.core.limit.Limits;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.routing.Fleet;
import dev.tollgate.core.routing.Refusal;
import dev.tollgate.core.routing.Router;
import dev.tollgate.core.routing.RoutingWish;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.upstream.Upstreams;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers authenticated requests: from the catalog at once, from the books through an {@link
 * Enquiry}, or through an {@link Exchange}.
 */
public final class Exchanges implements RequestService {
  /** A request that was answered before anything could happen to it. */
  private static final Running ANSWERED =
      new Running() {
        @Override
        public void clientLeft(ClientExit exit) {}

        @Override
        public void writabilityChanged() {}

        @Override
        public void cutShort(Fault fault) {}
      };

  private static final Logger LOG = LoggerFactory.getLogger(Exchanges.class);

  private final ExchangeContext context;
  private final Router router;

  /** What is to be done with a request, before anything was done. */
  private sealed interface Decision {
    record Admitted(Exchange exchange) implements Decision {}

    record Asked(Enquiry enquiry) implements Decision {}

    record Job(JobTask task) implements Decision {}

    record Found(JsonBytes json) implements Decision {}

    record Refused(Fault fault, Ending ending) implements Decision {}

    record Unserved(Refusal refusal, InferenceRequest inference) implements Decision {}

    /** The same of a request that may have been carried out before. */
    record Claiming(Unrouted unrouted) implements Decision {}
  }

  /**
   * @param jobs empty: there are none
   * @param rows writes a request's line for the request log, a JSON object
   * @param outputs what becomes of images that clients want addresses of
   * @param clock of signatures
   */
  public Exchanges(
      Upstreams upstreams,
      Fleet fleet,
      InflightBytes inflight,
      Ledger ledger,
      Standings standings,
      Limits limits,
      Idempotency idempotency,
      Images images,
      Optional<JobDesk> jobs,
      Observer observer,
      Function<RequestRecord, byte[]> rows,
      Outputs outputs,
      ExchangeOptions options,
      InstantSource clock) {
    this.context =
        new ExchangeContext(
            upstreams,
            fleet,
            inflight,
            ledger,
            standings,
            limits,
            idempotency,
            images,
            jobs,
            observer,
            rows,
            new DrainQuota(),
            new Unawaited(),
            outputs,
            options,
            clock);
    this.router = new Router(fleet);
  }

  @Override
  public Running start(ExchangeRequest request, Downstream downstream) {
    return switch (decided(request, downstream)) {
      case Decision.Admitted admitted -> {
        admitted.exchange().begin();
        yield admitted.exchange();
      }
      case Decision.Asked asked -> {
        asked.enquiry().begin();
        yield asked.enquiry();
      }
      case Decision.Job job -> {
        job.task().begin();
        yield job.task();
      }
      case Decision.Found found -> {
        ending(request, downstream).answer(found.json());
        yield ANSWERED;
      }
      case Decision.Refused refused -> {
        ending(request, downstream).refuse(refused.fault(), refused.ending());
        yield ANSWERED;
      }
      case Decision.Claiming claiming -> {
        claiming.unrouted().begin();
        yield claiming.unrouted();
      }
      case Decision.Unserved unserved -> {
        Refusal refusal = unserved.refusal();
        ending(request, downstream)
            .refuse(
                refusal.fault(),
                Ending.PROVIDER_UNAVAILABLE,
                ReplyFields.of(refusal),
                servedByNobody(refusal, unserved.inference()));
        yield ANSWERED;
      }
    };
  }

  @Override
  public CompletionStage<Void> unawaited() {
    return context.unawaited().none();
  }

  /** A fault of ours is told once to the log, and decides like any other. */
  private Decision decided(ExchangeRequest request, Downstream downstream) {
    try {
      return decide(request, downstream);
    } catch (RuntimeException surprise) {
      LOG.error("request {} failed", request.id(), surprise);
      return new Decision.Refused(Exchange.SURPRISE, Ending.INTERNAL_ERROR);
    }
  }

  private Decision decide(ExchangeRequest request, Downstream downstream) {
    Fault unsound = problemOfKey(request.endpoint().idempotency(), request.idempotencyKey());
    return unsound == null ? answer(request, downstream) : refused(unsound);
  }

  /** What is wrong with a request's key, or with its having none. */
  static @Nullable Fault problemOfKey(Endpoint.Idempotency wanted, @Nullable String key) {
    if (key == null) {
      return wanted == Endpoint.Idempotency.REQUIRED
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

  private Decision answer(ExchangeRequest request, Downstream downstream) {
    Body body = request.body();
    return switch (request.endpoint()) {
      case CHAT_COMPLETIONS ->
          inference(request, downstream, ChatRequest.parse(body.bytes(), body.length()));
      case COMPLETIONS ->
          inference(request, downstream, CompletionRequest.parse(body.bytes(), body.length()));
      case RESPONSES -> response(request, downstream);
      case EMBEDDINGS ->
          inference(request, downstream, EmbeddingRequest.parse(body.bytes(), body.length()));
      case SPEECH ->
          inference(request, downstream, SpeechRequest.parse(body.bytes(), body.length()));
      case TRANSCRIPTIONS ->
          inference(
              request,
              downstream,
              TranscriptionRequest.parse(body.bytes(), body.length(), request.argument()));
      case IMAGE_GENERATIONS ->
          inference(request, downstream, ImageRequest.parse(body.bytes(), body.length(), urls()));
      case IMAGE_EDITS ->
          inference(
              request,
              downstream,
              ImageRequest.parseEdit(body.bytes(), body.length(), request.argument(), urls()));
      case VIDEO_GENERATIONS -> submission(request, downstream, JobKind.VIDEO);
      case MUSIC_GENERATIONS -> submission(request, downstream, JobKind.MUSIC);
      case VIDEO_JOB -> look(request, downstream, JobKind.VIDEO, JobLook.Wish.SHOW);
      case MUSIC_JOB -> look(request, downstream, JobKind.MUSIC, JobLook.Wish.SHOW);
      case JOB -> look(request, downstream, null, JobLook.Wish.SHOW);
      case VIDEO_JOB_DELETION -> look(request, downstream, JobKind.VIDEO, JobLook.Wish.DELETE);
      case MUSIC_JOB_DELETION -> look(request, downstream, JobKind.MUSIC, JobLook.Wish.DELETE);
      case MODELS -> listed(ModelList.list(request.catalog(), request.key(), request.argument()));
      case MODEL -> listed(ModelList.one(request.catalog(), request.key(), request.argument()));
      case KEY -> {
        ApiKey key = request.key();
        Draw look = context.limits().rules().get().look(request.id(), key);
        yield asked(
            request,
            downstream,
            (standing, to) ->
                levels(
                    look,
                    downstream,
                    drawn -> to.accept(KeyAnswer.of(key, standing, look, drawn))));
      }
      case ARTIFACT -> throw new IllegalStateException("a download needs no key");
      case CREDITS ->
          asked(
              request,
              downstream,
              (standing, to) -> to.accept(CreditsAnswer.of(request.key(), standing)));
    };
  }

  private Decision submission(ExchangeRequest request, Downstream downstream, JobKind kind) {
    return new Decision.Job(new JobSubmission(context, router, request, downstream, kind));
  }

  private Decision look(
      ExchangeRequest request, Downstream downstream, @Nullable JobKind kind, JobLook.Wish wish) {
    return new Decision.Job(new JobLook(context, request, downstream, kind, wish));
  }

  private ImageUrls urls() {
    return switch (context.outputs()) {
      case Outputs.Kept _ -> ImageUrls.OURS;
      case Outputs.Passed _ -> ImageUrls.THEIRS;
    };
  }

  /** It is mapped to a chat in an array of its own: nobody needs the body behind that. */
  private Decision response(ExchangeRequest request, Downstream downstream) {
    Body body = request.body();
    if (!body.holds(ResponsesRequest.bytesWhileMapped(body.length()))) {
      Fault fault = Fault.tryLater("Too many request bodies are in work.");
      return new Decision.Refused(fault, Ending.SHED);
    }
    Parsed<ResponsesRequest> parsed =
        ResponsesRequest.parse(body.bytes(), body.length(), context.options().responses());
    if (parsed instanceof Parsed.Valid<ResponsesRequest> valid) {
      body.becomes(valid.request().heldBytes());
    }
    return inference(request, downstream, parsed);
  }

  private void levels(Draw look, Downstream downstream, Consumer<Drawn> to) {
    if (look.buckets().isEmpty()) {
      to.accept(new Drawn.Taken(List.of()));
    } else {
      context.limits().counters().take(look, downstream.loop(), to);
    }
  }

  private Decision asked(ExchangeRequest request, Downstream downstream, Enquiry.Form form) {
    return new Decision.Asked(new Enquiry(context, request, downstream, form));
  }

  private static Decision listed(ModelList.Answer answer) {
    return switch (answer) {
      case ModelList.Answer.Refused refused -> refused(refused.fault());
      case ModelList.Answer.Found found -> new Decision.Found(found.json());
    };
  }

  /** Whatever is asked of a model goes this way: only an exchange gets anything to a provider. */
  private <R extends InferenceRequest> Decision inference(
      ExchangeRequest request, Downstream downstream, Parsed<R> parsed) {
    return switch (parsed) {
      case Parsed.Refused<R> refused -> refused(refused.fault());
      case Parsed.Valid<R> valid -> route(request, downstream, valid.request());
    };
  }

  private Decision route(
      ExchangeRequest request, Downstream downstream, InferenceRequest inference) {
    List<Model> models = new ArrayList<>(1);
    Fault fault =
        ModelScope.add(
            inference.model(), inference.routing(), inference.modality(), request, models);
    return fault == null ? plan(request, downstream, inference, models) : refused(fault);
  }

  private Decision plan(
      ExchangeRequest request,
      Downstream downstream,
      InferenceRequest inference,
      List<Model> models) {
    RoutingWish wish = inference.routing();
    Set<String> needs = wish.requireParameters() ? inference.capabilitiesUsed() : Set.of();
    Predicate<Candidate> fits = one -> Unsupported.by(one, inference).isEmpty();
    Model asked = models.getFirst();
    var ask =
        new Router.Ask(
            models, wish, needs, fits, affinity(request, inference, asked), inference.isStream());
    long now = downstream.loop().ticker().nanoTime();
    return switch (router.route(
        ask, request.catalog().routing(), now, ThreadLocalRandom.current())) {
      case Router.Routed.Refused refused ->
          Unsupported.fault(refused.refusal(), models, inference)
              .map(Exchanges::refused)
              .orElseGet(() -> unserved(request, downstream, refused.refusal(), inference));
      case Router.Routed.Planned planned -> {
        InferenceCall call = inference.call(request.id(), asked);
        yield new Decision.Admitted(
            new Exchange(context, request, downstream, call, planned.plan()));
      }
    };
  }

  /**
   * Whose turn it is goes ahead of who is healthy (DECISIONS 1): what is kept needs no provider.
   */
  private Decision unserved(
      ExchangeRequest request, Downstream downstream, Refusal refusal, InferenceRequest inference) {
    if (request.idempotencyKey() == null) {
      return new Decision.Unserved(refusal, inference);
    }
    Served served = servedByNobody(refusal, inference);
    return new Decision.Claiming(new Unrouted(context, request, downstream, refusal, served));
  }

  private static Served servedByNobody(Refusal refusal, InferenceRequest inference) {
    return Served.byNobody(inference.model(), inference.isStream(), refusal.reason());
  }

  /** What an organization's requests have in common: others' sessions go elsewhere. */
  private static OptionalLong affinity(
      ExchangeRequest request, InferenceRequest inference, Model model) {
    String session = inference.routing().sessionId();
    if (session == null && !model.stickyPrefix()) {
      return OptionalLong.empty();
    }
    String common = session == null ? inference.beginning() : session;
    return Router.affinity(request.key().org().id() + " " + common);
  }

  private static Decision refused(Fault fault) {
    return new Decision.Refused(fault, Ending.REJECTED);
  }

  /** Nothing of the body is needed any more, and what follows may throw. */
  private ShortReply ending(ExchangeRequest request, Downstream downstream) {
    request.body().end();
    return new ShortReply(context.observer(), request, downstream);
  }
}
