package dev.tollgate.core.exchange;

import static java.util.Objects.requireNonNull;

import dev.tollgate.core.blob.BlobName;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.claim.BodyIdentity;
import dev.tollgate.core.claim.IdempotencyKey;
import dev.tollgate.core.endpoint.MediaRequest;
import dev.tollgate.core.endpoint.MediaRequest.Held;
import dev.tollgate.core.endpoint.MediaRequest.RemoteUrl;
import dev.tollgate.core.endpoint.Parsed;
import dev.tollgate.core.endpoint.SentImage;
import dev.tollgate.core.exchange.RequestRecord.Served;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.fetch.UrlGuard.Judged;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.job.Job;
import dev.tollgate.core.job.JobId;
import dev.tollgate.core.job.JobJson;
import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.job.JobTicket;
import dev.tollgate.core.job.JobWish;
import dev.tollgate.core.job.Jobs;
import dev.tollgate.core.ledger.Payer;
import dev.tollgate.core.ledger.Refusals;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.routing.RoutePlan;
import dev.tollgate.core.routing.Router;
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
 * The submission of a media job: looked for under its key, routed, held to the limits, its URLs
 * judged, its images stored, and then one step of the store makes the job and holds its money.
 * Whoever sends it again gets the same job, whatever has become of providers, limits and hosts
 * meanwhile (DECISIONS 1).
 */
final class JobSubmission extends JobTask {
  private static final Duration TIME_MAX = Duration.ofSeconds(15);
  private static final Fault NOT_IMPLEMENTED =
      Fault.of(ErrorCode.NOT_IMPLEMENTED, "Nobody makes videos or music here.");
  private static final Fault NOT_CONFIGURED =
      Fault.of(ErrorCode.NOT_CONFIGURED, "There is no object storage for what is made.");
  private static final Fault CONFLICT =
      Fault.of(
          ErrorCode.IDEMPOTENCY_CONFLICT,
          "The " + IdempotencyKey.FIELD + " was used with another body.");

  private final Router router;
  private final JobKind kind;
  private final Allowance allowance;

  /** Until the store is asked to make the job that they belong to. */
  private @Nullable SentImages images;

  JobSubmission(
      ExchangeContext context,
      Router router,
      ExchangeRequest request,
      Downstream downstream,
      JobKind kind) {
    super(context, request, downstream);
    this.router = router;
    this.kind = kind;
    this.allowance = new Allowance(context.limits());
  }

  /** A valid request, and whom it may ask. */
  private record Asked(JobDesk desk, MediaRequest media, List<Model> models, JobTicket ticket) {}

  /** A job that may be made: by whom, and what is held for it. */
  private record Plan(Asked asked, RoutePlan route, Held held) {
    Candidate candidate() {
      return route.candidates().getFirst();
    }

    String reason() {
      return route.reason(candidate(), true, List.of(), held.reserved(), false);
    }
  }

  @Override
  void work() {
    Optional<JobDesk> desk = context.jobs().filter(one -> one.open() == JobDesk.Submissions.TAKEN);
    if (desk.isEmpty()) {
      refuse(NOT_IMPLEMENTED, Ending.REJECTED);
    } else if (context.outputs() instanceof Outputs.Passed) {
      refuse(NOT_CONFIGURED, Ending.REJECTED);
    } else {
      Body body = request.body();
      switch (MediaRequest.parse(body.bytes(), body.length(), kind)) {
        case Parsed.Refused<MediaRequest> refused -> refuse(refused.fault(), Ending.REJECTED);
        case Parsed.Valid<MediaRequest> valid -> allow(desk.get(), valid.request());
      }
    }
  }

  private void allow(JobDesk desk, MediaRequest media) {
    List<Model> models = new ArrayList<>(1);
    Fault fault = ModelScope.add(media.model(), media.routing(), kind.modality(), request, models);
    if (fault == null) {
      recall(new Asked(desk, media, models, ticket()));
    } else {
      refuse(fault, Ending.REJECTED);
    }
  }

  // Whether it was made before

  private void recall(Asked asked) {
    waitAtMost(TIME_MAX);
    lent(
        told ->
            asked
                .desk()
                .jobs()
                .recall(
                    asked.ticket(),
                    downstream.loop(),
                    recalled -> told.accept(() -> recalled(asked, recalled))));
  }

  private JobTicket ticket() {
    Body body = request.body();
    return new JobTicket(
        request.key().org().id(),
        request.endpoint().path(),
        new IdempotencyKey(requireNonNull(request.idempotencyKey())),
        new BodyIdentity(body.bytes(), body.length(), ""));
  }

  /** The body counts for as long as the store may read it, also where its client has left. */
  private void lent(Consumer<Consumer<Runnable>> question) {
    Body.Loan loan = request.body().lend();
    try {
      question.accept(
          step -> {
            loan.end();
            guarded(step);
          });
    } catch (RuntimeException surprise) {
      loan.end();
      throw surprise;
    }
  }

  private void recalled(Asked asked, Jobs.Recalled recalled) {
    if (isOver()) {
      return;
    }
    switch (recalled) {
      case Jobs.Recalled.Fresh _ -> route(asked);
      case Jobs.Recalled.Replayed again -> replay(asked, again.job());
      case Jobs.Recalled.Conflict _ -> refuse(CONFLICT, Ending.REJECTED);
      case Jobs.Recalled.Crowded _ -> refuse(JobLook.CROWDED, Ending.REJECTED);
      case Jobs.Recalled.Unavailable unavailable -> unavailable(unavailable.reason());
    }
  }

  private void replay(Asked asked, Job job) {
    List<FieldLines> fields = new ArrayList<>();
    fields.add(new Field("Idempotent-Replayed", "true"));
    fields.addAll(ReplyFields.of(job));
    allowance.addedTo(fields);
    Served served = Served.byNobody(asked.media().model(), false, "");
    end(() -> reply.answer(202, Ending.REPLAYED, fields, JobJson.accepted(job), served));
  }

  // Who makes it

  private void route(Asked asked) {
    MediaRequest media = asked.media();
    var ask =
        new Router.Ask(
            asked.models(), media.routing(), Set.of(), _ -> true, OptionalLong.empty(), false);
    long now = downstream.loop().ticker().nanoTime();
    switch (router.route(ask, request.catalog().routing(), now, ThreadLocalRandom.current())) {
      case Router.Routed.Refused(var refusal) ->
          end(
              () ->
                  reply.refuse(
                      refusal.fault(),
                      Ending.PROVIDER_UNAVAILABLE,
                      ReplyFields.of(refusal),
                      Served.byNobody(media.model(), false, refusal.reason())));
      case Router.Routed.Planned(var route) -> hold(asked, route);
    }
  }

  private void hold(Asked asked, RoutePlan route) {
    Model model = route.candidates().getFirst().model();
    Optional<Held> held = asked.media().held(model, asked.desk().reservationFactor());
    if (held.isEmpty()) {
      refuse(asked.media().tooLowFor(model), Ending.REJECTED);
    } else {
      limit(new Plan(asked, route, held.get()));
    }
  }

  // What has to be waited for

  private void limit(Plan plan) {
    allowance.ask(
        request,
        plan.candidate().model().id(),
        0,
        downstream.loop(),
        this::guarded,
        verdict -> limited(plan, verdict));
  }

  private void limited(Plan plan, Allowance.Verdict verdict) {
    if (isOver()) {
      allowance.end(0);
      return;
    }
    switch (verdict) {
      case Allowance.Verdict.Granted _ -> judge(plan, 0);
      case Allowance.Verdict.Refused refused ->
          end(
              () ->
                  reply.refuse(
                      refused.fault(),
                      refused.ending(),
                      allowance.addedTo(new ArrayList<>()),
                      null));
    }
  }

  /** One after the other: there are few, and the first that is refused ends it. */
  private void judge(Plan plan, int next) {
    List<RemoteUrl> urls = plan.asked().media().urls();
    if (next == urls.size()) {
      store(plan);
      return;
    }
    RemoteUrl url = urls.get(next);
    plan.asked()
        .desk()
        .urls()
        .judge(
            url.url(),
            url.param(),
            downstream.loop(),
            judged -> guarded(() -> judged(plan, next, judged)));
  }

  private void judged(Plan plan, int at, Judged judged) {
    if (isOver()) {
      return;
    }
    switch (judged) {
      case Judged.Fine _ -> judge(plan, at + 1);
      case Judged.Refused refused -> refuse(refused.fault(), Ending.REJECTED);
      case Judged.Busy _ -> refuse(Fault.tryLater("Too many names are looked up."), Ending.SHED);
    }
  }

  private void store(Plan plan) {
    List<SentImage> sent = plan.asked().media().images();
    switch (context.outputs()) {
      case Outputs.Passed _ -> refuse(NOT_CONFIGURED, Ending.REJECTED);
      case Outputs.Kept kept -> {
        Duration time = plan.asked().desk().imagesKept();
        images = new SentImages(kept, time, context, request, downstream, this::guarded);
        images.store(sent, answer -> stored(plan, answer));
      }
    }
  }

  private void stored(Plan plan, SentImages.Answer answer) {
    switch (answer) {
      case SentImages.Answer.All all -> {
        SentImages stored = requireNonNull(images);
        images = null;
        submit(plan, wish(plan, all.names()), stored);
      }
      case SentImages.Answer.Refused refused -> refuse(refused.fault(), refused.ending());
    }
  }

  private void submit(Plan plan, JobWish wish, SentImages stored) {
    lent(
        told ->
            plan.asked()
                .desk()
                .jobs()
                .submit(
                    wish,
                    downstream.loop(),
                    submitted -> told.accept(() -> submitted(plan, wish, stored, submitted))));
  }

  private JobWish wish(Plan plan, List<BlobName> stored) {
    MediaRequest media = plan.asked().media();
    JobTicket ticket = plan.asked().ticket();
    return new JobWish(
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

  private void submitted(Plan plan, JobWish wish, SentImages stored, Jobs.Submitted submitted) {
    if (isNoJob(submitted)) {
      stored.discard();
    }
    switch (submitted) {
      case Jobs.Submitted.Made made -> accept(plan, made.job());
      case Jobs.Submitted.Replayed again -> replay(plan.asked(), again.job());
      case Jobs.Submitted.Conflict _ -> refuse(CONFLICT, Ending.REJECTED);
      case Jobs.Submitted.TooLittle shortage ->
          refuse(
              Refusals.fault(
                  shortage.shortages().getFirst(),
                  Payer.of(wish.org(), wish.key(), wish.request()),
                  wish.reserved()),
              Ending.REJECTED);
      case Jobs.Submitted.Crowded _ -> refuse(JobLook.CROWDED, Ending.REJECTED);
      case Jobs.Submitted.Unavailable unavailable -> unavailable(unavailable.reason());
    }
  }

  /** Where nobody knows it may be one, and has its images until their time is over. */
  private static boolean isNoJob(Jobs.Submitted submitted) {
    return switch (submitted) {
      case Jobs.Submitted.Made _, Jobs.Submitted.Unavailable _ -> false;
      case Jobs.Submitted.Replayed _,
          Jobs.Submitted.Conflict _,
          Jobs.Submitted.TooLittle _,
          Jobs.Submitted.Crowded _ ->
          true;
    };
  }

  private void accept(Plan plan, Job job) {
    List<FieldLines> fields = new ArrayList<>(ReplyFields.of(job, plan.reason()));
    allowance.addedTo(fields);
    Served served =
        Served.later(plan.candidate().model().id(), plan.candidate().id(), plan.reason());
    end(() -> reply.answer(202, Ending.OK, fields, JobJson.accepted(job), served));
  }

  @Override
  void letGo() {
    allowance.end(0);
    if (images != null) {
      images.discard();
    }
  }
}
