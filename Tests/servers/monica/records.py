"""The routes that most tables have in common: all rows, one row, the rows of a contact."""

from .api import READ, route
from .paging import by_year, page


def listing(path, table, name, years_of=None, **options):
    """All rows of a table, each shown by a method of the resources; with how many a year has."""

    @route(READ, path)
    def all_rows(request):
        rows = tuple(request.store[table])
        return page(request, table, rows, getattr(request.show, name), **options, **years(request, table, years_of))


def of_contact(path, table, name, years_of=None, column="contact_id", caught=False, **options):
    """The rows of a table that belong to a contact."""

    @route(READ, path)
    def rows_of_contact(request, identifier):
        contact = request.store.find_contact(identifier)
        rows = request.store[table].where(column, contact["id"])
        more = years(request, table, years_of)
        return page(request, table, rows, getattr(request.show, name), caught=caught, **options, **more)


def years(request, table, column):
    """Statistics of the whole account, also where the rows are those of a contact."""
    return {"statistics": by_year(request.store[table], column)} if column else {}


def show(path, table, name):
    """One row by its id."""

    @route(READ, path)
    def one_row(request, identifier):
        return request.data_answer(getattr(request.show, name)(request.store.find(table, identifier)))
