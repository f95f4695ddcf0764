"""A new password, by the old one, by mail or by a link."""

from typing import Any

from django.conf import settings
from django.contrib.auth import views as auth_views
from django.contrib.auth.forms import PasswordResetForm
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse_lazy

from wiki.accounts.password_reset import reset_tokens
from wiki.tasks import queue_reset


class ChangePassword(auth_views.PasswordChangeView):
    template_name = "wiki/accounts/password.html"
    success_url = reverse_lazy("password_change_done")


class PasswordChanged(auth_views.PasswordChangeDoneView):
    template_name = "wiki/accounts/password_done.html"


class ForgottenPassword(auth_views.PasswordResetView):
    """Where mail is set up. The worker looks for the account: known and unknown addresses get the
    same answer."""

    template_name = "wiki/accounts/forgotten.html"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not settings.HAS_MAIL:
            raise Http404
        return super().dispatch(request, *args, **kwargs)

    def form_valid(self, form: PasswordResetForm) -> Any:
        queue_reset(form.cleaned_data["email"])
        return redirect("password_reset_done")


class MailIsOnItsWay(auth_views.PasswordResetDoneView):
    template_name = "wiki/accounts/forgotten_done.html"


class NewPassword(auth_views.PasswordResetConfirmView):
    """Behind a link. Django takes the token out of the address before it shows the form."""

    template_name = "wiki/accounts/new_password.html"
    token_generator = reset_tokens
    success_url = reverse_lazy("password_reset_complete")


class NewPasswordIsSet(auth_views.PasswordResetCompleteView):
    template_name = "wiki/accounts/new_password_done.html"
