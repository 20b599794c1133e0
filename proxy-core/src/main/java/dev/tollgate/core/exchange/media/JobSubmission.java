package dev.tollgate.core.exchange.media;

import static java.util.Objects.requireNonNull;

import dev.tollgate.core.api.ParseResult;
import dev.tollgate.core.api.image.JobImage;
import dev.tollgate.core.api.image.MediaJobRequest;
import dev.tollgate.core.api.image.MediaJobRequest.JobReservation;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.exchange.frame.Body;
import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.ExchangeContext;
import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.JobService;
import dev.tollgate.core.exchange.frame.ModelScope;
import dev.tollgate.core.exchange.frame.Outputs;
import dev.tollgate.core.exchange.frame.RateLimitPermit;
import dev.tollgate.core.exchange.frame.ReplyFields;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestRecord.Served;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.idempotency.BodyFingerprint;
import dev.tollgate.core.idempotency.IdempotencyKey;
import dev.tollgate.core.job.Job;
import dev.tollgate.core.job.JobId;
import dev.tollgate.core.job.JobJson;
import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.job.JobRepository;
import dev.tollgate.core.job.JobSpec;
import dev.tollgate.core.job.JobSubmissionKey;
import dev.tollgate.core.ledger.Refusals;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.routing.Exclusion;
import dev.tollgate.core.routing.NoProviderRefusal;
import dev.tollgate.core.routing.RoutePlan;
import dev.tollgate.core.routing.Router;
import dev.tollgate.core.storage.BlobName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Request task that submits a media job to the job store, unless its idempotency key already has
 * one. It plans the route, checks limits and URLs and stores images; then one operation of the
 * store creates the job and reserves its money. A repeat gets the same job, whatever the state of
 * providers, limits and hosts (docs/decisions/jobs.md#submission).
 */
public final class JobSubmission extends JobTask {
  private static final Duration TIMEOUT = Duration.ofSeconds(15);
  private static final Fault NOT_IMPLEMENTED =
      Fault.of(ErrorCode.NOT_IMPLEMENTED, "Video and music generation is not enabled.");
  private static final Fault NOT_CONFIGURED =
      Fault.of(ErrorCode.NOT_CONFIGURED, "There is no object storage for what is made.");
  private static final Fault CONFLICT =
      Fault.of(
          ErrorCode.IDEMPOTENCY_CONFLICT,
          "The " + IdempotencyKey.FIELD + " was used with another body.");

  private final Router router;
  private final JobKind kind;
  private final RateLimitPermit rateLimit;

  /** Upload of the images, until the store is asked to create their job. */
  private @Nullable JobImageUpload images;

  private @Nullable JobUrls urls;

  public JobSubmission(
      ExchangeContext context,
      Router router,
      ExchangeRequest request,
      Downstream downstream,
      JobKind kind) {
    super(context, request, downstream);
    this.router = router;
    this.kind = kind;
    this.rateLimit = new RateLimitPermit(context.admission().limits(), loop);
  }

  /** A valid request, and the models that it may use. */
  private record ValidRequest(
      JobService service, MediaJobRequest media, List<Model> models, JobSubmissionKey ticket) {}

  /** A job that may be created, with its route and its reservation. */
  private record Plan(ValidRequest validRequest, RoutePlan route, JobReservation held) {
    Candidate candidate() {
      return route.candidates().getFirst();
    }

    /** Returns the same plan with media that were fetched. */
    Plan with(MediaJobRequest media) {
      var request =
          new ValidRequest(
              validRequest.service(), media, validRequest.models(), validRequest.ticket());
      return new Plan(request, route, held);
    }

    String reason() {
      return route.reason(candidate(), true, List.of(), held.reserved(), false);
    }
  }

  @Override
  void work() {
    Optional<JobService> service =
        context.media().jobs().filter(one -> one.submissions() == JobService.Submissions.ACCEPTED);
    if (service.isEmpty()) {
      refuse(NOT_IMPLEMENTED, RequestOutcome.REJECTED);
    } else if (context.media().outputs() instanceof Outputs.Passed) {
      refuse(NOT_CONFIGURED, RequestOutcome.REJECTED);
    } else {
      Body body = request.body();
      overBody(
          () -> MediaJobRequest.parse(body.bytes(), body.length(), kind),
          parsed -> parsed(service.get(), parsed));
    }
  }

  private void parsed(JobService service, ParseResult<MediaJobRequest> parsed) {
    switch (parsed) {
      case ParseResult.Refused<MediaJobRequest> refused ->
          refuse(refused.fault(), RequestOutcome.REJECTED);
      case ParseResult.Valid<MediaJobRequest> valid -> checkModels(service, valid.request());
    }
  }

  private void checkModels(JobService service, MediaJobRequest media) {
    List<Model> models = new ArrayList<>(1);
    Fault fault = ModelScope.add(media.target(), kind.modality(), request, models);
    if (fault == null) {
      recall(new ValidRequest(service, media, models, ticket()));
    } else {
      refuse(fault, RequestOutcome.REJECTED);
    }
  }

  // Lookup

  private void recall(ValidRequest validRequest) {
    startTimeout(TIMEOUT);
    withBody(
        completion ->
            validRequest
                .service()
                .jobs()
                .lookUpSubmission(
                    validRequest.ticket(),
                    loop.eventLoop(),
                    recalled -> completion.accept(() -> recalled(validRequest, recalled))));
  }

  private JobSubmissionKey ticket() {
    Body body = request.body();
    return new JobSubmissionKey(
        request.key().org().id(),
        request.endpoint().path(),
        new IdempotencyKey(requireNonNull(request.idempotencyKey())),
        new BodyFingerprint(body.bytes(), body.length(), ""));
  }

  /** Lends the body to the store, which may read it beyond a disconnect. */
  private void withBody(Consumer<Consumer<Runnable>> call) {
    Body.Loan loan = request.body().lend();
    try {
      call.accept(
          step -> {
            loan.end();
            loop.run(step);
          });
    } catch (RuntimeException unexpected) {
      loan.end();
      throw unexpected;
    }
  }

  private void recalled(ValidRequest validRequest, JobRepository.LookupResult recalled) {
    if (isEnded()) {
      return;
    }
    switch (recalled) {
      case JobRepository.LookupResult.NotSubmitted _ -> route(validRequest);
      case JobRepository.LookupResult.Replayed again -> replay(validRequest, again.job());
      case JobRepository.LookupResult.Conflict _ -> refuse(CONFLICT, RequestOutcome.REJECTED);
      case JobRepository.LookupResult.TooManyPending _ ->
          refuse(JobQuery.TOO_MANY_PENDING, RequestOutcome.REJECTED);
      case JobRepository.LookupResult.Unavailable unavailable -> unavailable(unavailable.reason());
    }
  }

  private void replay(ValidRequest validRequest, Job job) {
    List<FieldLines> fields = new ArrayList<>();
    fields.add(new Field("Idempotent-Replayed", "true"));
    fields.addAll(ReplyFields.of(job));
    rateLimit.appendTo(fields);
    Served served = Served.none(validRequest.models().getFirst().id(), false, "");
    end(() -> reply.answer(202, RequestOutcome.REPLAYED, fields, JobJson.accepted(job), served));
  }

  // Route

  private void route(ValidRequest validRequest) {
    MediaJobRequest media = validRequest.media();
    Model asked = validRequest.models().getFirst();
    var routingRequest =
        new Router.RoutingRequest(
            request.key().org().id(),
            validRequest.models(),
            media.target().routing(),
            Set.of(),
            candidate -> !JobUrls.isRefusedBy(candidate.provider(), media),
            OptionalLong.empty(),
            false);
    long now = loop.now();
    switch (router.route(
        routingRequest, request.catalog().routing(), now, ThreadLocalRandom.current())) {
      case Router.Routed.Refused(var refusal) when isOfUrls(refusal) ->
          refuse(JobUrls.refusal(media), RequestOutcome.REJECTED);
      case Router.Routed.Refused(var refusal) ->
          end(
              () ->
                  reply.refuse(
                      refusal.fault(),
                      RequestOutcome.PROVIDER_UNAVAILABLE,
                      ReplyFields.of(refusal),
                      Served.none(asked.id(), false, refusal.reason())));
      case Router.Routed.Planned(var route) -> hold(validRequest, route);
    }
  }

  /** True if every provider takes no media URLs. */
  private static boolean isOfUrls(NoProviderRefusal refusal) {
    return !refusal.excluded().isEmpty()
        && refusal.excluded().stream()
            .allMatch(one -> one.reason() == Exclusion.Reason.PARAMETERS_UNSUPPORTED);
  }

  private void hold(ValidRequest validRequest, RoutePlan route) {
    Model model = route.candidates().getFirst().model();
    Optional<JobReservation> held =
        validRequest.media().reservation(model, validRequest.service().reservationFactor());
    if (held.isEmpty()) {
      refuse(validRequest.media().maxCostTooLow(model), RequestOutcome.REJECTED);
    } else {
      limit(new Plan(validRequest, route, held.get()));
    }
  }

  // Limits, URLs, images

  private void limit(Plan plan) {
    rateLimit.acquire(request, plan.candidate().model().id(), 0, verdict -> limited(plan, verdict));
  }

  private void limited(Plan plan, RateLimitPermit.Verdict verdict) {
    if (isEnded()) {
      rateLimit.end(0);
      return;
    }
    switch (verdict) {
      case RateLimitPermit.Verdict.Granted _ -> checkUrls(plan);
      case RateLimitPermit.Verdict.Refused refused ->
          end(
              () ->
                  reply.refuse(
                      refused.fault(),
                      refused.outcome(),
                      rateLimit.appendTo(new ArrayList<>()),
                      null));
    }
  }

  private void checkUrls(Plan plan) {
    MediaJobRequest media = plan.validRequest().media();
    urls =
        new JobUrls(context, request, media, loop, ready -> store(plan.with(ready)), this::refuse);
    urls.begin(plan.candidate().provider());
  }

  private void store(Plan plan) {
    List<JobImage> sent = plan.validRequest().media().images();
    switch (context.media().outputs()) {
      case Outputs.Passed _ -> refuse(NOT_CONFIGURED, RequestOutcome.REJECTED);
      case Outputs.Kept kept -> {
        Duration time = plan.validRequest().service().imageRetention();
        images = new JobImageUpload(kept, time, context, request, bodies);
        images.store(sent, answer -> stored(plan, answer));
      }
    }
  }

  private void stored(Plan plan, JobImageUpload.Answer answer) {
    switch (answer) {
      case JobImageUpload.Answer.All all -> {
        JobImageUpload stored = requireNonNull(images);
        images = null;
        submit(plan, jobSpec(plan, all.names()), stored);
      }
      case JobImageUpload.Answer.Refused refused -> refuse(refused.fault(), refused.outcome());
    }
  }

  private void submit(Plan plan, JobSpec spec, JobImageUpload stored) {
    withBody(
        completion ->
            plan.validRequest()
                .service()
                .jobs()
                .submit(
                    spec,
                    loop.eventLoop(),
                    submitted ->
                        completion.accept(() -> submitted(plan, spec, stored, submitted))));
  }

  private JobSpec jobSpec(Plan plan, List<BlobName> stored) {
    MediaJobRequest media = plan.validRequest().media();
    JobSubmissionKey ticket = plan.validRequest().ticket();
    return new JobSpec(
        JobId.fresh(),
        ticket.org(),
        request.key().id(),
        request.id(),
        ticket.endpoint(),
        ticket.idempotencyKey(),
        ticket.body(),
        kind,
        plan.candidate().model().id().toString(),
        plan.candidate().id().value(),
        plan.held().reserved(),
        plan.held().max(),
        media.params(),
        stored,
        media.webhookUrl(),
        media.metadata());
  }

  private void submitted(
      Plan plan, JobSpec spec, JobImageUpload stored, JobRepository.SubmitResult submitted) {
    if (isNotCreated(submitted)) {
      stored.discard();
    }
    switch (submitted) {
      case JobRepository.SubmitResult.Created made -> accept(plan, made.job());
      case JobRepository.SubmitResult.Replayed again -> replay(plan.validRequest(), again.job());
      case JobRepository.SubmitResult.Conflict _ -> refuse(CONFLICT, RequestOutcome.REJECTED);
      case JobRepository.SubmitResult.InsufficientBudget shortage ->
          refuse(
              Refusals.fault(
                  shortage.shortages(), Window.at(spec.request().epochMillis()), spec.reserved()),
              RequestOutcome.REJECTED);
      case JobRepository.SubmitResult.TooManyPending _ ->
          refuse(JobQuery.TOO_MANY_PENDING, RequestOutcome.REJECTED);
      case JobRepository.SubmitResult.Unavailable unavailable -> unavailable(unavailable.reason());
    }
  }

  /** True if no job was created. Without an answer one may exist and keeps its images. */
  private static boolean isNotCreated(JobRepository.SubmitResult submitted) {
    return switch (submitted) {
      case JobRepository.SubmitResult.Created _, JobRepository.SubmitResult.Unavailable _ -> false;
      case JobRepository.SubmitResult.Replayed _,
          JobRepository.SubmitResult.Conflict _,
          JobRepository.SubmitResult.InsufficientBudget _,
          JobRepository.SubmitResult.TooManyPending _ ->
          true;
    };
  }

  private void accept(Plan plan, Job job) {
    List<String> dropped = plan.validRequest().media().dropped(plan.candidate().provider());
    List<FieldLines> fields = new ArrayList<>(ReplyFields.of(job, plan.reason(), dropped));
    rateLimit.appendTo(fields);
    Served served =
        Served.later(plan.candidate().model().id(), plan.candidate().id(), plan.reason());
    end(() -> reply.answer(202, RequestOutcome.OK, fields, JobJson.accepted(job), served));
  }

  @Override
  void release() {
    rateLimit.end(0);
    if (images != null) {
      images.discard();
    }
    if (urls != null) {
      urls.end();
    }
  }
}
